#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# HTML pages: every tag is closed, every plot is well-formed, nothing is loaded from elsewhere, no name is interpreted as
# markup. They contain every number of the text's tables, and the record gives the same bytes.
# Slow: nine sessions, one after the other.
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=/dev/null
. "$tests/cli/in_memory"
# shellcheck source=/dev/null
. "$tests/cli/checks"
command -v python3 >/dev/null || {
    echo 'skipped: python3, which reads the pages, is not here'
    exit 77
}

cat >page.py <<'E'
import html.parser, json, re, sys, xml.etree.ElementTree as tree

VOID = {"meta", "br"}
KNOWN = VOID | set("""html head title style body main header h1 h2 section p strong small b dl dt dd div span figure figcaption
    footer table thead tbody tr th td svg script text line rect path g circle title desc""".split())
ATTRIBUTES = set("""lang charset http-equiv content name class scope colspan tabindex role aria-label data-title xmlns viewbox type
    x y x1 y1 x2 y2 cx cy r d width height fill fill-opacity stroke stroke-dasharray text-anchor
    font-family font-size""".split())


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.words, self.cells, self.row, self.faults = [], [], set(), [], []
        self.titles, self.data, self.figures, self.programs, self.is_program = [], [], 0, 0, False
        self.columns, self.count = None, 0

    def handle_starttag(self, tag, attributes):
        if tag not in KNOWN:
            self.faults.append(f"a tag {tag}")
        for name, value in attributes:
            if name not in ATTRIBUTES:
                self.faults.append(f"an attribute {name} of {tag}")
        given = dict(attributes)
        if tag == "script":
            self.is_program = given.get("class") == "program"
            self.programs += self.is_program
            if not self.is_program and given.get("type") != "application/json":
                self.faults.append("a script that is no data")
        if tag == "th" and given.get("scope") not in ("row", "col"):
            self.faults.append("a th without a scope")
        if tag == "table":
            self.columns = None
        if tag == "tr":
            self.count = 0
        if tag in ("th", "td"):
            self.count += int(given.get("colspan", 1))
        if tag == "svg" and not (given.get("role") == "img" and given.get("aria-label")):
            self.faults.append("a figure without words")
        self.figures += tag == "svg"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag == "tr" and self.count != (self.columns or self.count):
            self.faults.append(f"a row of {self.count} cells in a table of {self.columns} columns")
        if tag == "tr":
            self.columns = self.columns or self.count
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> ends {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.data += [data] * (not self.is_program)
        elif self.open and self.open[-1] == "title":
            self.titles.append(data)
        elif "style" not in self.open:
            self.words.append(data)
            if self.open and self.open[-1] in ("td", "th"):
                self.cells.add(data.strip())


name, title, report = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
raw = open(name, "rb").read()
text = raw.decode("utf-8")  # it must be
page = Page()
page.feed(text)
page.close()
faults = page.faults + [f"{tag} is not closed" for tag in page.open]
if page.titles[:1] != [title]:
    faults.append(f"the title is {page.titles}")
if len(raw) > 1000000:
    faults.append(f"{len(raw)} bytes")
plain = report == "plain"  # a page without figures that move, and without a script
if page.programs != (not plain):
    faults.append(f"{page.programs} programs")
if not page.figures and not plain:
    faults.append("there is no figure")
outside = re.search(r"""https?:(?!//www\.w3\.org/2000/svg)|url\(|\b(src|href)=|@import""", re.sub(r"<script.*?</script>", "", text, flags=re.S))
if outside and outside.group() not in title:
    faults.append(f"a reference to outside: {outside.group()}")
for figure in re.findall(r"<svg.*?</svg>", text, flags=re.S):
    first = tree.fromstring(figure)[0]
    if not (first.tag.endswith("title") and first.text):
        faults.append("a figure without a title")
    if re.search(r"nan|inf", " ".join(re.findall(r' (?:d|[xy][12]?|width|height)="([^"]*)"', figure))):
        faults.append("a place that is no number")
for data in page.data:
    chart = json.loads(data)
    for series in chart["series"]:
        if not 0 < len(series["values"]) == len(chart["x"]["values"]) <= 2000:
            faults.append(f"a series of {len(series['values'])} values")
if report and not plain:
    # A cell of a table of the text stands alone between blanks and has digits.
    inside = False
    for line in open(report, encoding="utf-8"):
        if re.match(r"\S", line):
            inside = bool(re.match(r"(Metrics|Latency, from|Response time, from|Response and|By |Sessions:|Phases|Fidelity:)", line))
        elif inside and not re.match(r"  [a-z .]+: |   ", line):
            for cell in re.split(r"  +|(?<=[%\d]) (?=\d)| (?=>10x)|(?<=>10x) ", line.strip())[1:]:
                if re.search(r"\d", cell) and not any(cell in c for c in page.cells):
                    faults.append(f"'{cell}' of the text is not in the page")
for fault in faults[:12]:
    print(f"{name}: {fault}")
sys.exit(bool(faults))
E

page() { # NAME TITLE [REPORT|plain]
    python3 page.py "$@" >faults 2>&1 || fault "$(cat faults)"
}

# A file name that contains markup, terminal controls and invalid UTF-8; so the command line contains it, too.
name=$(printf '<script>alert(1)<&"\047\033[31m\377\342\200\256.img')
shown=$(printf '<script>alert(1)<&"\047?[31m??.img')
dd if=/dev/zero of="$name" bs=1M count=4 status=none
longer '0 5' run "$name" --ioengine sync --direct 0 --rw randread --preset quick --runtime 2s --sla 'read.p99<5s' --overhead 0 -o hostile
page hostile/report.html "$PWD/$shown" hostile/report.txt
holds hostile/report.html '&lt;script&gt;alert(1)&lt;&amp;&quot;&#39;?[31m'
longer '0 5' report hostile/record.cupel --format html
cmp -s out hostile/report.html || fault 'report prints another page than report.html'

# Due times, phases and the issue error; a page on standard output; several sessions; many level changes.
longer '0 5' run null --ioengine null --null-script normal:95us,5us --arrival poisson --rate_iops 2k --runtime 3s --overhead 0 -o timed
page timed/report.html null timed/report.txt
holds timed/report.html '<b>Issue error</b>'
longer '0 5' run null --ioengine null --null-script normal:95us,5us --preset quick --limit 30s --overhead 0 --format html
cp out stdout.html
page stdout.html null
longer '0 5' run null --ioengine null --null-script normal:95us,5us --preset quick --runtime 1s --repeat 2 --overhead 0 -o several
page several/report.html null several/report.txt
longer '0 5' run null --ioengine null --null-script queue:500us --find-rate 'p90<2.5ms' --preset quick --ci 80% --min-time 0.5s \
    --overhead 0 --monitor-cost 0 --limit 40s --format html
cp out rates.html
page rates.html null

# A replay compared with its trace, hosts beside each other, readings in their order, the rounds of a program.
i=0
while [ $i -lt 200 ]; do
    i=$((i + 1))
    echo "1281663720$((1000000 + i * 5000))0,host,0,Read,$((4096 * i)),4096,100"
done >reads.csv
longer '0 5' replay reads.csv --ioengine null -o replayed
page replayed/report.html null replayed/report.txt
holds replayed/report.html 'Fidelity: the trace beside its replay'
longer '0 5' merge hostile timed --format html -o merged
page merged/report.html "$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' merged/report.html | head -n 1)" merged/report.txt
cmp -s out merged/report.html || fault 'merge prints another page than report.html'
{
    echo '<b>&'
    seq 1 300
} >'<i>.csv'
status 0 analyze '<i>.csv' --column '<b>&' --format html
cp out analyzed.html
page analyzed.html '<i>.csv'
longer '0 5' exec --limit 3s --format html -- echo '<script>1</script>'
cp out program.html
page program.html 'echo <script>1</script>'

# Alternatives with their ratios and box plots; configurations with their variation.
seq 1000 1400 >'<a>&.txt'
seq 1300 1700 >'b.txt'
longer '0 5' compare '<a>&.txt' b.txt --format html
cp out compared.html
page compared.html '<a>&.txt vs b.txt'
printf 'target: data\nrealtime: 0\ndirect: 0\nruntime: 0.2s\nfactor file-size: 64k\nfactor bs: 4k 16k\nresponse: throughput\nrepeats: 2\n' >'plan<b>.txt'
longer 0 sweep 'plan<b>.txt' --format html -o swept
cp out swept.html
page swept.html 'plan<b>.txt'
cmp -s swept.html swept/report.html || fault 'sweep prints another page than report.html'

# Maps and their findings; a name with markup as a factor, as a level and as a campaign.
awk 'BEGIN {
    print "threads,bs,<b>&,when,value,seconds"
    for (t = 1; t <= 64; t *= 4)
        for (b = 4; b <= 64; b *= 4)
            for (m = 0; m < 2; m++)
                for (i = 0; i < 12 && !(t == 4 && b == 16); i++)
                    printf "%d,%dk,%s,%s,%.2f,2\n", t, b, m ? "<script>1</script>" : "a&",
                        i % 2 ? "<i>" : "old", t * 10 + (i * 7 + b + m) % 11
}' >runs.csv
for what in '' --validate --anova '--heatmap threads,<b>&' '--lines threads,<b>&' --plot '--rank <b>&' '--drift when' --plan --convergence; do
    response=mean title=mean
    [ "$what" = --plan ] && response=sd title='The runs still needed'
    # shellcheck disable=SC2086
    status 0 predict --data runs.csv --factors 'threads,bs,<b>&' --response $response --value value --method lr $what --format html
    cp out predicted.html
    page predicted.html "$title" plain
done
holds predicted.html '<th scope="col" class="n">needed</th>'

# A machine and the data paths of its disks: one probe gives a page, several give none.
"$tests/fixtures/unpack.sh" "$tests/fixtures/machines/server.tree" server || fault 'server.tree cannot be unpacked'
status 0 probe nvme0n1 sda --sysroot server --format html
cp out machine.html
page machine.html 'This machine' plain
holds machine.html '<h2>Data path of nvme0n1</h2>'
refused 2 'a page is one look' probe --watch --format html

# The phases of a program whose name contains markup.
# shellcheck disable=SC2016 # the inner shell's
printf '#!/bin/sh\ndd if="$0" of=/dev/null bs=1 count=50 2>/dev/null; dd if=/dev/zero of=part bs=512 count=300 2>/dev/null\n' >'<script>&'
chmod +x '<script>&'
"$CUPEL" record --format html --report recorded.html -- './<script>&' >out 2>err
case $? in
0)
    page recorded.html './<script>&'
    holds recorded.html '<h2>Response times</h2>'
    ;;
6) echo "not looked at, the page of cupel record: $(cat err)" ;;
*) fault "record: $(cat err)" ;;
esac
finish
