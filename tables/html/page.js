/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a figure interactive when its reader asks for that: its picture gives way to a chart of its data, in the same
   place and colours. Without scripts, and on paper, there are the pictures. */
"use strict";
for (const figure of document.querySelectorAll("figure.chart")) {
    const pictures = [...figure.querySelectorAll("svg")], source = figure.querySelector("script.data");
    if (!pictures.length || !source) continue;
    let chart = null, data = null;

    const colour = name => getComputedStyle(figure).getPropertyValue(name).trim() || "gray";
    const colour_of = i => "--c" + (data.series[i - 1].colour ?? (i - 1) % 6);
    const rounded = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
    const seconds = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 }, prefixes = { G: 1e9, M: 1e6, k: 1e4, "": 0 };

    /* 1.2 ms, 3.5 GHz, 22.9 k; as an axis has little room, four digits at most. */
    function quantity(value, unit) {
        if (value == null) return "–";
        if (value && seconds[unit]) {
            const time = value * seconds[unit];
            unit = Object.keys(seconds).find(u => Math.abs(time) >= .9999 * seconds[u]) ?? "ns";
            value = time / seconds[unit];
        } else {
            const prefix = Object.keys(prefixes).find(p => Math.abs(value) >= prefixes[p]);
            unit = prefix + unit;
            value /= { G: 1e9, M: 1e6, k: 1e3, "": 1 }[prefix];
        }
        return rounded.format(value) + (unit && " " + unit);
    }

    /* Logarithms where the axis has them, so that panning and zooming are the same on both kinds. */
    const along = x => data.log_x ? Math.log(x) : x;
    const back = a => data.log_x ? Math.exp(a) : a;
    const seen = () => [chart.scales.x.min, chart.scales.x.max].map(along);
    const all = () => [chart.data[0][0], chart.data[0].at(-1)].map(along);

    /* [from, to] of the axis, moved into what there is to see. */
    function show(from, to) {
        const [first, last] = all(), width = Math.min(to - from, last - first);
        if (width < (last - first) * 1e-6) return;
        from = Math.max(first, Math.min(from, last - width));
        chart.setScale("x", { min: back(from), max: back(from + width) });
    }

    /* What is under the cursor stays there. */
    function zoom(factor) {
        const [from, to] = seen(), left = chart.cursor.left;
        const fixed = left >= 0 ? along(chart.posToVal(left, "x")) : (from + to) / 2;
        show(fixed - (fixed - from) * factor, fixed + (to - fixed) * factor);
    }

    function pan(share) {
        const [from, to] = seen(), by = (to - from) * share;
        show(from + by, to + by);
    }

    /* Ticks of a logarithmic axis that may end anywhere: 1, 2, 5, 10 ..., and even steps in a small part of it. */
    function log_ticks(u, i, min, max) {
        const steps = [], unit = 10 ** Math.floor(Math.log10(max - min));
        if (max < 4 * min)
            for (let v = Math.ceil(min / unit) * unit; v <= max; v += unit) steps.push(v);
        else
            for (let ten = 10 ** Math.floor(Math.log10(min)); ten <= max; ten *= 10)
                steps.push(...[1, 2, 5].map(n => n * ten).filter(v => v >= min && v <= max));
        return max > 1e4 * min ? steps.filter(v => Math.log10(v) % 1 === 0) : steps;
    }

    /* A scale for each unit, and an axis: the first at the left, the second at the right. */
    function scales_and_axes() {
        const font = "11px " + getComputedStyle(figure).fontFamily, grid = { stroke: () => colour("--grid"), width: 1 };
        const axis_in = (unit, label, more) => ({
            stroke: () => colour("--soft"), font, labelFont: font, labelSize: 18, grid, ticks: grid, ...more,
            label, values: (u, values) => values.map(v => v == null ? "" : quantity(v, unit)) });
        const scales = { x: { time: false, distr: data.log_x ? 3 : 1, range: (u, min, max) => [min, max] } };
        const axes = [axis_in(data.x.unit, data.x.label, { size: 34 })];
        if (data.log_x) Object.assign(axes[0], { splits: log_ticks, filter: (u, splits) => splits });
        const units = [...new Set(data.series.map(s => s.unit))];
        units.forEach((unit, i) => {
            scales["y " + unit] = { distr: data.log_y ? 3 : 1 };
            axes.push(axis_in(unit, units.length > 1 && data.series.find(s => s.unit === unit).name, {
                scale: "y " + unit, side: i ? 1 : 3, size: 60, show: i < 2, grid: { ...grid, show: !i } }));
        });
        return { scales, axes };
    }

    /* "low" and "high" are the ends of a band around the line before them. */
    function series_and_bands() {
        const series = data.series.map((s, i) => {
            const stroke = () => colour(colour_of(i + 1));
            return { label: s.name, scale: "y " + s.unit, width: s.band ? 0 : 1.5, stroke,
                     fill: s.area ? () => colour(colour_of(i + 1)) + "4d" : undefined,
                     points: { size: 4, fill: stroke, show: s.band ? false : undefined }, value: (u, v) => quantity(v, s.unit) };
        });
        const bands = data.series.flatMap((s, i) => s.band !== "high" ? [] :
            [{ series: [i + 1, i], fill: () => colour(colour_of(i + 1)) + "33" }]);
        return { series: [{ label: data.x.label, value: (u, v) => quantity(v, data.x.unit) }, ...series], bands };
    }

    /* The lines of the limits, and their names, above what is drawn. */
    function draw_limits(u) {
        const { ctx, bbox } = u, size = devicePixelRatio;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = colour("--bad");
        ctx.setLineDash([6 * size, 3 * size]);
        ctx.font = 11 * size + "px " + getComputedStyle(figure).fontFamily;
        data.limits.forEach(({ name, value }, i) => {
            const at = u.valToPos(value, data.limits_of_x ? "x" : "y " + data.series[0].unit, true);
            const [begin, end] = data.limits_of_x ? [bbox.left, bbox.left + bbox.width] : [bbox.top, bbox.top + bbox.height];
            if (!(at >= begin && at <= end)) return;
            ctx.beginPath();
            ctx.moveTo(...(data.limits_of_x ? [at, bbox.top] : [bbox.left, at]));
            ctx.lineTo(...(data.limits_of_x ? [at, bbox.top + bbox.height] : [bbox.left + bbox.width, at]));
            ctx.stroke();
            ctx.textAlign = data.limits_of_x && at < bbox.left + bbox.width / 2 ? "left" : "right";
            const aside = (ctx.textAlign === "left" ? 4 : -4) * size;
            ctx.fillText(name, ...(data.limits_of_x ? [at + aside, bbox.top + bbox.height - (6 + 12 * i) * size]
                                                    : [bbox.left + bbox.width, at - 4 * size]));
        });
        ctx.restore();
    }

    function open() {
        data = JSON.parse(source.textContent);
        const drawn = (values, log) => values.map(v => log && v <= 0 ? null : v);
        const x = drawn(data.x.values, data.log_x), columns = [x, ...data.series.map(s => drawn(s.values, data.log_y))];
        const kept = columns.map(values => values.filter((v, i) => x[i] !== null));
        if (kept[0].length < 2) return;
        const { width, height } = pictures.map(p => p.getBoundingClientRect()).find(box => box.width) ?? {};
        chart = new uPlot({ width, height: Math.max(height, 160), ...scales_and_axes(), ...series_and_bands(), hooks: { draw: [draw_limits] }, legend: {
            markers: { stroke: (u, i) => "var(" + colour_of(i) + ")", fill: () => "transparent" } } }, kept);
        pictures.at(-1).after(chart.root);
        figure.classList.add("live");
        figure.chart = chart;
    }

    function close() {
        chart.destroy();
        figure.chart = chart = null;
        figure.classList.remove("live");
    }

    const keys = { ArrowLeft: () => pan(-.1), ArrowRight: () => pan(.1), "+": () => zoom(.5), "=": () => zoom(.5),
                   "-": () => zoom(2), 0: () => show(...all()), Escape: close };
    figure.addEventListener("keydown", event => {
        if (event.ctrlKey || event.altKey || event.metaKey || event.target !== figure) return;
        const action = chart ? Object.hasOwn(keys, event.key) && keys[event.key] : [" ", "Enter"].includes(event.key) && open;
        if (!action) return;
        event.preventDefault();
        action();
    });
    for (const picture of pictures) picture.addEventListener("click", () => { open(); figure.focus(); });
    figure.tabIndex = 0;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart?.redraw());
    addEventListener("resize", () => chart?.setSize({ width: figure.clientWidth, height: chart.height }));
    figure.classList.add("zoomable");
}
