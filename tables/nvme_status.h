/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Status codes of NVMe commands that did not complete successfully.
 *
 * NVME_STATUS(type, code, class, errno, name)
 *   type, code  the status code type and the status code of the completion
 *   class       the cause: MEDIA the medium or the data on it; ABORTED the command was taken
 *               back; PATH the path to the device; COMMAND the command does not fit the device or
 *               its state; OTHER the device itself
 *   errno       the errno of the kernel's block layer for reads and writes
 *   name        the name in the standard
 *
 * Generic and path related codes: NVM Express Base Specification 2.0c, section 3.3.3.2.1; command
 * specific, media and data integrity codes of I/O commands: also NVM Command Set Specification
 * 1.0c, section 3.1.2.3. Codes of admin commands and of other command sets have no row.
 */
#ifndef CUPEL_TABLES_NVME_STATUS_H
#define CUPEL_TABLES_NVME_STATUS_H

#define NVME_STATUS_ROWS(NVME_STATUS)                                                              \
    NVME_STATUS(0, 0x00, OTHER, 0, "Successful Completion")                                        \
    NVME_STATUS(0, 0x01, COMMAND, EOPNOTSUPP, "Invalid Command Opcode")                            \
    NVME_STATUS(0, 0x02, COMMAND, EOPNOTSUPP, "Invalid Field in Command")                          \
    NVME_STATUS(0, 0x03, COMMAND, EIO, "Command ID Conflict")                                      \
    NVME_STATUS(0, 0x04, PATH, EIO, "Data Transfer Error")                                         \
    NVME_STATUS(0, 0x05, ABORTED, EIO, "Commands Aborted due to Power Loss Notification")          \
    NVME_STATUS(0, 0x06, OTHER, EIO, "Internal Error")                                             \
    NVME_STATUS(0, 0x07, ABORTED, EIO, "Command Abort Requested")                                  \
    NVME_STATUS(0, 0x08, ABORTED, EIO, "Command Aborted due to SQ Deletion")                       \
    NVME_STATUS(0, 0x09, ABORTED, EIO, "Command Aborted due to Failed Fused Command")              \
    NVME_STATUS(0, 0x0a, ABORTED, EIO, "Command Aborted due to Missing Fused Command")             \
    NVME_STATUS(0, 0x0b, COMMAND, EOPNOTSUPP, "Invalid Namespace or Format")                       \
    NVME_STATUS(0, 0x0c, COMMAND, EIO, "Command Sequence Error")                                   \
    NVME_STATUS(0, 0x0d, COMMAND, EIO, "Invalid SGL Segment Descriptor")                           \
    NVME_STATUS(0, 0x0e, COMMAND, EIO, "Invalid Number of SGL Descriptors")                        \
    NVME_STATUS(0, 0x0f, COMMAND, EIO, "Data SGL Length Invalid")                                  \
    NVME_STATUS(0, 0x10, COMMAND, EIO, "Metadata SGL Length Invalid")                              \
    NVME_STATUS(0, 0x11, COMMAND, EIO, "SGL Descriptor Type Invalid")                              \
    NVME_STATUS(0, 0x12, COMMAND, EIO, "Invalid Use of Controller Memory Buffer")                  \
    NVME_STATUS(0, 0x13, COMMAND, EIO, "PRP Offset Invalid")                                       \
    NVME_STATUS(0, 0x14, COMMAND, EIO, "Atomic Write Unit Exceeded")                               \
    NVME_STATUS(0, 0x15, COMMAND, EIO, "Operation Denied")                                         \
    NVME_STATUS(0, 0x16, COMMAND, EIO, "SGL Offset Invalid")                                       \
    NVME_STATUS(0, 0x18, COMMAND, EIO, "Host Identifier Inconsistent Format")                      \
    NVME_STATUS(0, 0x19, PATH, EIO, "Keep Alive Timer Expired")                                    \
    NVME_STATUS(0, 0x1a, COMMAND, EIO, "Keep Alive Timeout Invalid")                               \
    NVME_STATUS(0, 0x1b, ABORTED, EIO, "Command Aborted due to Preempt and Abort")                 \
    NVME_STATUS(0, 0x1c, OTHER, EIO, "Sanitize Failed")                                            \
    NVME_STATUS(0, 0x1d, COMMAND, EIO, "Sanitize In Progress")                                     \
    NVME_STATUS(0, 0x1e, COMMAND, EIO, "SGL Data Block Granularity Invalid")                       \
    NVME_STATUS(0, 0x1f, COMMAND, EIO, "Command Not Supported for Queue in CMB")                   \
    NVME_STATUS(0, 0x20, COMMAND, EIO, "Namespace is Write Protected")                             \
    NVME_STATUS(0, 0x21, ABORTED, EREMOTEIO, "Command Interrupted")                                \
    NVME_STATUS(0, 0x22, PATH, EIO, "Transient Transport Error")                                   \
    NVME_STATUS(0, 0x23, COMMAND, EIO, "Command Prohibited by Command and Feature Lockdown")       \
    NVME_STATUS(0, 0x24, OTHER, EIO, "Admin Command Media Not Ready")                              \
    NVME_STATUS(0, 0x80, COMMAND, EREMOTEIO, "LBA Out of Range")                                   \
    NVME_STATUS(0, 0x81, COMMAND, ENOSPC, "Capacity Exceeded")                                     \
    NVME_STATUS(0, 0x82, OTHER, EREMOTEIO, "Namespace Not Ready")                                  \
    NVME_STATUS(0, 0x83, COMMAND, EBADE, "Reservation Conflict")                                   \
    NVME_STATUS(0, 0x84, COMMAND, EIO, "Format In Progress")                                       \
    NVME_STATUS(1, 0x80, COMMAND, EOPNOTSUPP, "Conflicting Attributes")                            \
    NVME_STATUS(1, 0x81, COMMAND, EILSEQ, "Invalid Protection Information")                        \
    NVME_STATUS(1, 0x82, COMMAND, ENODATA, "Attempted Write to Read Only Range")                   \
    NVME_STATUS(1, 0x83, COMMAND, EOPNOTSUPP, "Command Size Limit Exceeded")                       \
    NVME_STATUS(2, 0x80, MEDIA, ENODATA, "Write Fault")                                            \
    NVME_STATUS(2, 0x81, MEDIA, ENODATA, "Unrecovered Read Error")                                 \
    NVME_STATUS(2, 0x82, MEDIA, EILSEQ, "End-to-end Guard Check Error")                            \
    NVME_STATUS(2, 0x83, MEDIA, EILSEQ, "End-to-end Application Tag Check Error")                  \
    NVME_STATUS(2, 0x84, MEDIA, EILSEQ, "End-to-end Reference Tag Check Error")                    \
    NVME_STATUS(2, 0x85, MEDIA, ENODATA, "Compare Failure")                                        \
    NVME_STATUS(2, 0x86, COMMAND, ENODATA, "Access Denied")                                        \
    NVME_STATUS(2, 0x87, MEDIA, ENODATA, "Deallocated or Unwritten Logical Block")                 \
    NVME_STATUS(2, 0x88, MEDIA, EIO, "End-to-End Storage Tag Check Error")                         \
    NVME_STATUS(3, 0x00, PATH, EIO, "Internal Path Error")                                         \
    NVME_STATUS(3, 0x01, PATH, EIO, "Asymmetric Access Persistent Loss")                           \
    NVME_STATUS(3, 0x02, PATH, EIO, "Asymmetric Access Inaccessible")                              \
    NVME_STATUS(3, 0x03, PATH, EIO, "Asymmetric Access Transition")                                \
    NVME_STATUS(3, 0x60, PATH, EIO, "Controller Pathing Error")                                    \
    NVME_STATUS(3, 0x70, PATH, ENOLINK, "Host Pathing Error")                                      \
    NVME_STATUS(3, 0x71, ABORTED, EIO, "Command Aborted By Host")

#endif
