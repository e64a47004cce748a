// Figures made of points and lines.
'use strict';

const warplinePoints = ((look) => {
  const { number, escapeHtml } = look;
  const symbols = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin', 'arrow'];

  // The roofline of FLOP and byte: a roof and a point for each prediction.
  function flopByte(data, title, theme) {
    const named = (p) => (data.predictions.length > 1 ? p.name : p.kernel);
    const legend = ({ name, classic: c }) => `${name}: peak ${number(c.peak_tflops, 0)} TFLOP/s, HBM ${number(c.hbm_tb_per_s, 1)} TB/s`;
    const option = look.base(theme, title, data.predictions.map(legend));
    option.grid.left = 24;
    const bends = data.predictions.map((p) => p.classic.peak_tflops / p.classic.hbm_tb_per_s);
    const reach = data.predictions.map((p) => p.classic.flops_per_byte);
    const low = Math.min(...bends, ...reach) / 8, high = Math.max(...bends, ...reach) * 4;
    const ends = { showMinLabel: false, showMaxLabel: false };
    const top = Math.max(...data.predictions.map((p) => p.classic.peak_tflops));
    const bottom = Math.min(...data.predictions.map((p) => Math.min(low * p.classic.hbm_tb_per_s, p.classic.executed_tflops / 2)));
    option.xAxis = look.axis(theme, { type: 'log', name: 'FLOP executed per byte of HBM traffic', min: low, max: high,
      axisLabel: { formatter: (v) => number(v, 0), ...ends } });
    option.yAxis = look.axis(theme, { type: 'log', logBase: 2, name: 'TFLOP/s', nameGap: 46, min: bottom, max: top * 2,
      axisLabel: { formatter: (v) => number(v, 0), ...ends } });
    option.tooltip.formatter = (s) => {
      const p = data.predictions[Math.floor(s.seriesIndex / 2)], c = p.classic;
      return s.seriesType === 'scatter'
        ? `${escapeHtml(named(p))}<br>${number(c.flops_per_byte, 0)} FLOP/B, <b>${number(c.executed_tflops, 0)} TFLOP/s executed</b>`
        : `${escapeHtml(named(p))}<br>peak ${number(c.peak_tflops, 0)} TFLOP/s, HBM ${number(c.hbm_tb_per_s, 2)} TB/s, ridge ${number(c.peak_tflops / c.hbm_tb_per_s, 0)} FLOP/B`;
    };
    option.series = data.predictions.flatMap((p, i) => {
      const c = p.classic, color = look.palette[i], name = legend(p);
      const roof = [low, bends[i], high].map((x) => [x, Math.min(c.peak_tflops, x * c.hbm_tb_per_s)]);
      return [
        { name, type: 'line', symbol: 'circle', symbolSize: 1, data: roof, itemStyle: { color }, lineStyle: { color, width: 2, type: i ? 'dashed' : 'solid' } },
        { name, type: 'scatter', symbol: symbols[i ? 3 : 0], symbolSize: 13, itemStyle: { color, borderColor: theme.back, borderWidth: 1 },
          data: [[c.flops_per_byte, c.executed_tflops]],
          label: { show: true, position: i ? 'right' : 'left', color: theme.text, fontSize: 11, formatter: `${named(p)}: ${number(c.executed_tflops, 0)}` } }];
    });
    return option;
  }

  const groupSeries = (c, theme, at) => c.groups.map((g, i) => ({ name: g.name, type: 'scatter', symbol: symbols[(i + Math.floor(i / 7)) % 5], symbolSize: 9,
    itemStyle: { color: look.colourOf(i), borderColor: theme.text, borderWidth: 0.5 },
    data: c.rows.filter((r) => r.group === i).map((r) => ({ value: at(r), row: r })) }));
  const rowTip = (s) => { const r = s.data && s.data.row; return r
    ? `${escapeHtml(r.name)}<br>measured ${r.measured.toPrecision(4)}, predicted ${r.predicted.toPrecision(4)}: <b>${(100 * r.error).toFixed(1)} %</b>`
    : escapeHtml(s.seriesName); };
  const groupNames = (data) => data.comparison.groups.map((g) => g.name);
  const durations = (theme, c, all, name, nameGap) => { const low = Math.min(...all) / 1.3, high = Math.max(...all) * 1.3;
    return look.axis(theme, { type: 'log', logBase: high / low < 200 ? 2 : 10, min: low, max: high, name: `${name}, ${c.unit}`, nameGap,
      axisLabel: { formatter: (v) => String(Number(v.toPrecision(2))), showMinLabel: false, showMaxLabel: false } }); };

  function scatter(data, title, theme) {
    const c = data.comparison, option = look.base(theme, title, groupNames(data));
    option.grid.left = 24;
    const all = c.rows.flatMap((r) => [r.measured, r.predicted]);
    option.xAxis = durations(theme, c, all, 'measured', 26);
    option.yAxis = durations(theme, c, all, 'predicted', 44);
    const { min, max } = option.xAxis;
    const line = (factor, name, type) => ({ name, type: 'line', symbol: 'none', silent: true, lineStyle: { color: theme.dim, type, width: 1 },
      data: [[min, min * factor], [max, max * factor]] });
    option.tooltip.formatter = rowTip;
    option.series = [line(1, 'equal', 'solid'), line(1.1, '10 % too slow', 'dashed'), line(1 / 1.1, '10 % too fast', 'dashed')]
      .concat(groupSeries(c, theme, (r) => [r.measured, r.predicted]));
    return option;
  }
  // The same rows as errors: what the logarithm hides.
  function residuals(data, title, theme) {
    const c = data.comparison, option = look.base(theme, title);
    option.grid.left = 24;
    option.xAxis = durations(theme, c, c.rows.map((r) => r.measured), 'measured', 26);
    option.yAxis = look.axis(theme, { type: 'value', name: 'error, percent', nameGap: 40 });
    option.tooltip.formatter = rowTip;
    option.series = groupSeries(c, theme, (r) => [r.measured, 100 * r.error]);
    if (option.series.length) option.series[0].markLine = { symbol: 'none', silent: true, label: { show: false }, lineStyle: { color: theme.dim, width: 1 },
      data: [{ yAxis: 0, lineStyle: { type: 'solid' } }, { yAxis: 10, lineStyle: { type: 'dashed' } }, { yAxis: -10, lineStyle: { type: 'dashed' } }] };
    return option;
  }

  // Few lines have a colour each. Many have that of one of their axes: the one that tells high from low best, by
  // the share of the variance that lies between its values.
  function sweepGroups(w) {
    if (w.series.length <= 7) return { names: w.series.map((s) => s.name), of: (i) => i };
    const level = w.series.map((s) => s.points.reduce((sum, p) => sum + p.tflops, 0) / s.points.length);
    const between = (k) => {
      const sums = new Map();
      w.series.forEach((s, i) => { const v = sums.get(s.keys[k]) || [0, 0]; sums.set(s.keys[k], [v[0] + level[i], v[1] + 1]); });
      return sums.size > 7 ? -1 : [...sums.values()].reduce((sum, [total, count]) => sum + total * total / count, 0);
    };
    const scores = w.others.map((_, k) => between(k)), best = scores.indexOf(Math.max(...scores));
    if (best < 0 || scores[best] < 0) return { names: [], of: () => 0 };
    const values = [...new Set(w.series.map((s) => s.keys[best]))];
    return { names: values.map((v) => `${w.others[best]} ${v}`), of: (i) => values.indexOf(w.series[i].keys[best]) };
  }
  const sweepNames = (w) => { const { names } = sweepGroups(w); return names.length > 1 ? names : []; };
  function sweep(data, title, theme) {
    const w = data.sweep, groups = sweepGroups(w), names = sweepNames(w);
    const option = look.base(theme, title, names);
    option.grid.left = 24;
    const xs = w.series.flatMap((s) => s.points.map((p) => p.x));
    const spread = w.numbers && Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) > 20;
    option.xAxis = look.axis(theme, w.numbers ? { type: spread ? 'log' : 'value', logBase: 2, min: 'dataMin', max: 'dataMax', name: w.axis }
      : { type: 'category', name: w.axis, data: [...new Set(w.series.flatMap((s) => s.points.map((p) => p.label)))] });
    option.yAxis = look.axis(theme, { type: 'value', name: 'TFLOP/s', nameGap: 48, scale: true });
    const few = w.series.length <= 7;
    option.tooltip.formatter = (s) => { const p = s.data.point;
      return `${escapeHtml(w.series[s.seriesIndex].name)}<br>${escapeHtml(w.axis)} ${escapeHtml(p.label)}: <b>${number(p.tflops)} TFLOP/s</b>, ${p.ms.toPrecision(4)} ms<br>bound by ${escapeHtml(p.bound)}`; };
    option.tooltip.extraCssText = 'max-width: 28rem; white-space: normal';
    option.series = w.series.map((s, i) => { const color = look.colourOf(groups.of(i)); return {
      name: names.length ? groups.names[groups.of(i)] : s.name || w.axis, type: 'line', symbol: symbols[groups.of(i) % symbols.length], symbolSize: few ? 7 : 5,
      lineStyle: { color, width: few ? 2 : 1.25 }, itemStyle: { color }, emphasis: { focus: 'series', lineStyle: { width: 3 } }, triggerLineEvent: true,
      data: s.points.slice().sort((a, b) => (w.numbers ? a.x - b.x : 0))
        .map((p) => ({ value: [w.numbers ? p.x : p.label, p.tflops], point: p })) }; });
    return option;
  }
  return { flopByte, groupNames, scatter, residuals, sweepNames, sweep };
})(warplineLook);
