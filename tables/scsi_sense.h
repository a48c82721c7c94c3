/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why SCSI commands fail: sense keys, additional sense codes, statuses without sense data, and what
 * the kernel's host adapter reports. Only those that a disk gives for reads, writes, and purging.
 *
 * SCSI_SENSE_KEY(key, class, errno, again, name): class as in tables/nvme_status.h; errno: the one
 * of the kernel's block layer; again: the command may succeed when tried again. SPC-4 4.5.6.
 * SCSI_SENSE(code, qualifier, errno, name): errno 0: that of the key. SPC-4 annex F.
 * SCSI_STATUS(status, class, errno, again, name): SAM-5 5.3.1.
 * SCSI_HOST(status, class, errno, again, name): the host byte (DID_...) of Linux.
 */
#ifndef CUPEL_TABLES_SCSI_SENSE_H
#define CUPEL_TABLES_SCSI_SENSE_H

#define SCSI_SENSE_KEY_ROWS(SCSI_SENSE_KEY)                                                        \
    SCSI_SENSE_KEY(0x0, OTHER, EIO, false, "no sense")                                             \
    SCSI_SENSE_KEY(0x1, OTHER, 0, false, "recovered error")                                        \
    SCSI_SENSE_KEY(0x2, OTHER, EIO, true, "not ready")                                             \
    SCSI_SENSE_KEY(0x3, MEDIA, ENODATA, false, "medium error")                                     \
    SCSI_SENSE_KEY(0x4, OTHER, EREMOTEIO, false, "hardware error")                                 \
    SCSI_SENSE_KEY(0x5, COMMAND, EREMOTEIO, false, "illegal request")                              \
    SCSI_SENSE_KEY(0x6, OTHER, EIO, true, "unit attention")                                        \
    SCSI_SENSE_KEY(0x7, COMMAND, EIO, false, "data protect")                                       \
    SCSI_SENSE_KEY(0x8, MEDIA, EIO, false, "blank check")                                          \
    SCSI_SENSE_KEY(0x9, OTHER, EIO, false, "vendor specific")                                      \
    SCSI_SENSE_KEY(0xa, ABORTED, EIO, false, "copy aborted")                                       \
    SCSI_SENSE_KEY(0xb, ABORTED, EIO, true, "aborted command")                                     \
    SCSI_SENSE_KEY(0xd, COMMAND, ENOSPC, false, "volume overflow")                                 \
    SCSI_SENSE_KEY(0xe, MEDIA, EIO, false, "miscompare")                                           \
    SCSI_SENSE_KEY(0xf, OTHER, EIO, false, "completed")

#define SCSI_SENSE_ROWS(SCSI_SENSE)                                                                \
    SCSI_SENSE(0x00, 0x00, 0, "No additional sense information")                                   \
    SCSI_SENSE(0x00, 0x06, 0, "I/O process terminated")                                            \
    SCSI_SENSE(0x00, 0x1d, 0, "ATA pass through information available")                            \
    SCSI_SENSE(0x03, 0x00, 0, "Peripheral device write fault")                                     \
    SCSI_SENSE(0x04, 0x00, 0, "Logical unit not ready, cause not reportable")                      \
    SCSI_SENSE(0x04, 0x01, 0, "Logical unit is in process of becoming ready")                      \
    SCSI_SENSE(0x04, 0x02, 0, "Logical unit not ready, initializing command required")             \
    SCSI_SENSE(0x04, 0x03, 0, "Logical unit not ready, manual intervention required")              \
    SCSI_SENSE(0x04, 0x04, 0, "Logical unit not ready, format in progress")                        \
    SCSI_SENSE(0x04, 0x09, 0, "Logical unit not ready, self-test in progress")                     \
    SCSI_SENSE(0x04, 0x0a, 0, "Logical unit not accessible, asymmetric access state transition")   \
    SCSI_SENSE(0x04, 0x0b, 0, "Logical unit not accessible, target port in standby state")         \
    SCSI_SENSE(0x04, 0x0c, 0, "Logical unit not accessible, target port in unavailable state")     \
    SCSI_SENSE(0x04, 0x11, 0, "Logical unit not ready, notify (enable spinup) required")           \
    SCSI_SENSE(0x04, 0x1b, 0, "Logical unit not ready, sanitize in progress")                      \
    SCSI_SENSE(0x04, 0x1c, 0, "Logical unit not ready, additional power use not yet granted")      \
    SCSI_SENSE(0x08, 0x00, 0, "Logical unit communication failure")                                \
    SCSI_SENSE(0x08, 0x01, ETIMEDOUT, "Logical unit communication time-out")                       \
    SCSI_SENSE(0x0b, 0x01, 0, "Warning - specified temperature exceeded")                          \
    SCSI_SENSE(0x0c, 0x00, 0, "Write error")                                                       \
    SCSI_SENSE(0x0c, 0x02, 0, "Write error - auto reallocation failed")                            \
    SCSI_SENSE(0x0c, 0x03, 0, "Write error - recommend reassignment")                              \
    SCSI_SENSE(0x10, 0x00, EILSEQ, "ID CRC or ECC error")                                          \
    SCSI_SENSE(0x10, 0x01, EILSEQ, "Logical block guard check failed")                             \
    SCSI_SENSE(0x10, 0x02, EILSEQ, "Logical block application tag check failed")                   \
    SCSI_SENSE(0x10, 0x03, EILSEQ, "Logical block reference tag check failed")                     \
    SCSI_SENSE(0x11, 0x00, 0, "Unrecovered read error")                                            \
    SCSI_SENSE(0x11, 0x01, 0, "Read retries exhausted")                                            \
    SCSI_SENSE(0x11, 0x02, 0, "Error too long to correct")                                         \
    SCSI_SENSE(0x11, 0x04, 0, "Unrecovered read error - auto reallocate failed")                   \
    SCSI_SENSE(0x11, 0x0b, 0, "Unrecovered read error - recommend reassignment")                   \
    SCSI_SENSE(0x11, 0x14, 0, "Read error - LBA marked bad by application client")                 \
    SCSI_SENSE(0x14, 0x00, 0, "Recorded entity not found")                                         \
    SCSI_SENSE(0x15, 0x00, 0, "Random positioning error")                                          \
    SCSI_SENSE(0x17, 0x00, 0, "Recovered data with no error correction applied")                   \
    SCSI_SENSE(0x18, 0x00, 0, "Recovered data with error correction applied")                      \
    SCSI_SENSE(0x1a, 0x00, 0, "Parameter list length error")                                       \
    SCSI_SENSE(0x1d, 0x00, 0, "Miscompare during verify operation")                                \
    SCSI_SENSE(0x20, 0x00, EOPNOTSUPP, "Invalid command operation code")                           \
    SCSI_SENSE(0x21, 0x00, 0, "Logical block address out of range")                                \
    SCSI_SENSE(0x24, 0x00, 0, "Invalid field in CDB")                                              \
    SCSI_SENSE(0x25, 0x00, ENXIO, "Logical unit not supported")                                    \
    SCSI_SENSE(0x26, 0x00, 0, "Invalid field in parameter list")                                   \
    SCSI_SENSE(0x27, 0x00, EROFS, "Write protected")                                               \
    SCSI_SENSE(0x27, 0x07, ENOSPC, "Space allocation failed write protect")                        \
    SCSI_SENSE(0x28, 0x00, 0, "Not ready to ready change, medium may have changed")                \
    SCSI_SENSE(0x29, 0x00, 0, "Power on, reset, or bus device reset occurred")                     \
    SCSI_SENSE(0x29, 0x01, 0, "Power on occurred")                                                 \
    SCSI_SENSE(0x29, 0x02, 0, "SCSI bus reset occurred")                                           \
    SCSI_SENSE(0x29, 0x03, 0, "Bus device reset function occurred")                                \
    SCSI_SENSE(0x29, 0x04, 0, "Device internal reset")                                             \
    SCSI_SENSE(0x29, 0x07, 0, "I_T nexus loss occurred")                                           \
    SCSI_SENSE(0x2a, 0x01, 0, "Mode parameters changed")                                           \
    SCSI_SENSE(0x2a, 0x03, 0, "Reservations preempted")                                            \
    SCSI_SENSE(0x2a, 0x06, 0, "Asymmetric access state changed")                                   \
    SCSI_SENSE(0x2a, 0x09, 0, "Capacity data has changed")                                         \
    SCSI_SENSE(0x2f, 0x00, 0, "Commands cleared by another initiator")                             \
    SCSI_SENSE(0x31, 0x00, 0, "Medium format corrupted")                                           \
    SCSI_SENSE(0x31, 0x01, 0, "Format command failed")                                             \
    SCSI_SENSE(0x31, 0x03, 0, "Sanitize command failed")                                           \
    SCSI_SENSE(0x32, 0x00, 0, "No defect spare location available")                                \
    SCSI_SENSE(0x35, 0x00, 0, "Enclosure services failure")                                        \
    SCSI_SENSE(0x3a, 0x00, 0, "Medium not present")                                                \
    SCSI_SENSE(0x3e, 0x00, 0, "Logical unit has not self-configured yet")                          \
    SCSI_SENSE(0x3e, 0x01, 0, "Logical unit failure")                                              \
    SCSI_SENSE(0x3f, 0x01, 0, "Microcode has been changed")                                        \
    SCSI_SENSE(0x3f, 0x03, 0, "Inquiry data has changed")                                          \
    SCSI_SENSE(0x3f, 0x0e, 0, "Reported LUNs data has changed")                                    \
    SCSI_SENSE(0x44, 0x00, 0, "Internal target failure")                                           \
    SCSI_SENSE(0x47, 0x00, 0, "SCSI parity error")                                                 \
    SCSI_SENSE(0x4b, 0x00, 0, "Data phase error")                                                  \
    SCSI_SENSE(0x4e, 0x00, 0, "Overlapped commands attempted")                                     \
    SCSI_SENSE(0x55, 0x00, 0, "System resource failure")                                           \
    SCSI_SENSE(0x5d, 0x00, 0, "Failure prediction threshold exceeded")                             \
    SCSI_SENSE(0x74, 0x71, EACCES, "Logical unit access not authorized")

#define SCSI_STATUS_ROWS(SCSI_STATUS)                                                              \
    SCSI_STATUS(0x02, OTHER, EIO, false, "Check Condition")                                        \
    SCSI_STATUS(0x08, COMMAND, EBUSY, true, "Busy")                                                \
    SCSI_STATUS(0x18, COMMAND, EBADE, false, "Reservation Conflict")                               \
    SCSI_STATUS(0x28, COMMAND, EBUSY, true, "Task Set Full")                                       \
    SCSI_STATUS(0x30, OTHER, EIO, true, "ACA Active")                                              \
    SCSI_STATUS(0x40, ABORTED, EIO, true, "Task Aborted")

#define SCSI_HOST_ROWS(SCSI_HOST)                                                                  \
    SCSI_HOST(0x01, PATH, ENOLINK, false, "No Connection to the Device")                           \
    SCSI_HOST(0x02, PATH, EIO, true, "Bus Busy")                                                   \
    SCSI_HOST(0x03, ABORTED, ETIMEDOUT, true, "Timeout")                                           \
    SCSI_HOST(0x04, COMMAND, ENXIO, false, "Bad Target")                                           \
    SCSI_HOST(0x05, ABORTED, EIO, true, "Aborted by the Kernel")                                   \
    SCSI_HOST(0x06, PATH, EIO, true, "Parity Error")                                               \
    SCSI_HOST(0x07, OTHER, EIO, false, "Error of the Host Adapter")                                \
    SCSI_HOST(0x08, ABORTED, EIO, true, "Reset")                                                   \
    SCSI_HOST(0x0b, OTHER, EIO, true, "Soft Error of the Host Adapter")                            \
    SCSI_HOST(0x0c, ABORTED, EIO, true, "Retried at Once")                                         \
    SCSI_HOST(0x0e, PATH, ENOLINK, true, "Transport Disrupted")                                    \
    SCSI_HOST(0x0f, PATH, ENOLINK, false, "Transport Failed Fast")                                 \
    SCSI_HOST(0x14, PATH, ENOLINK, true, "Transport Marginal")

#endif
