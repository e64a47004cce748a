// The figures of a report as ECharts options, from its data alone: the page draws them, and an export
// without a browser does too. `theme` gives the colours that depend on light or dark.
'use strict';

const warplineFigures = (() => {
  // Okabe and Ito's colours, told apart with any colour vision; patterns repeat what colours say.
  const palette = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00', '#F0E442', '#8C8C8C'];
  const light = { text: '#1b1f24', dim: '#57606a', line: '#d0d7de', wait: '#e6e9ec', critical: '#b30000', back: '#ffffff' };
  const dark = { text: '#e6edf3', dim: '#9aa5b1', line: '#3d444d', wait: '#2b3138', critical: '#ff7b72', back: '#14181d' };

  const escapeHtml = (text) => String(text).replace(/[&<>"']/g,
    (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }[c]));
  const number = (value, digits = 1) => value.toLocaleString('en-US', { maximumFractionDigits: digits });
  const percent = (share) => number(100 * share) + ' %';

  // What every figure has. `rich` tooltips are HTML made of escaped text.
  function base(theme, title) {
    return {
      color: palette,
      backgroundColor: theme.back,
      textStyle: { color: theme.text, fontFamily: 'system-ui, sans-serif' },
      title: { text: title, left: 0, top: 0, textStyle: { color: theme.text, fontSize: 14 } },
      aria: { enabled: true, decal: { show: true } },
      animation: false,
      legend: { top: 24, left: 0, type: 'scroll', textStyle: { color: theme.text }, pageTextStyle: { color: theme.text } },
      tooltip: { confine: true, backgroundColor: theme.back, borderColor: theme.line, textStyle: { color: theme.text } },
      grid: { left: 24, right: 24, top: 64, bottom: 36, containLabel: true },
    };
  }
  const axis = (theme, more) => Object.assign({
    axisLabel: { color: theme.dim }, axisLine: { lineStyle: { color: theme.line } },
    splitLine: { lineStyle: { color: theme.line } }, nameTextStyle: { color: theme.dim },
    nameLocation: 'middle', nameGap: 26,
  }, more);
  const labelled = (theme, format) => ({ show: true, position: 'right', color: theme.text, formatter: format });
  const subject = (p, data) => (data.predictions.length > 1 ? p.gpu : p.kernel);

  // Bars of one value a category, a series for each prediction.
  function grouped(theme, title, unit, categories, series, digits) {
    const option = base(theme, title);
    option.xAxis = axis(theme, { type: 'value', name: unit });
    option.yAxis = axis(theme, { type: 'category', data: categories, inverse: true });
    option.series = series.map((s) => Object.assign({
      type: 'bar', barMaxWidth: 22, label: labelled(theme, (p) => number(p.value, digits)),
    }, s));
    option.grid.right = 72;
    if (series.length < 2) { option.legend.show = false; option.grid.top = 36; }
    return option;
  }

  // Shares of a whole, stacked: rows of {name, parts: [{name, share, quiet}]}.
  function stacked(theme, title, unit, rows, format, most) {
    const option = base(theme, title);
    const names = [];
    for (const row of rows) for (const part of row.parts) if (!names.includes(part.name)) names.push(part.name);
    option.xAxis = axis(theme, { type: 'value', name: unit, max: most, axisLabel: { color: theme.dim, formatter: format } });
    option.yAxis = axis(theme, { type: 'category', data: rows.map((r) => r.name), inverse: true });
    option.tooltip.formatter = (p) => `${escapeHtml(p.name)}<br>${escapeHtml(p.seriesName)}: <b>${format(p.value)}</b>`;
    option.series = names.map((name, i) => ({
      name, type: 'bar', stack: 'all', barMaxWidth: 26,
      itemStyle: { color: palette[i % palette.length] },
      label: { show: true, color: '#000', textBorderColor: '#fff', textBorderWidth: 2, fontSize: 10,
        formatter: (p) => (p.value > 0.06 * (most || 1) ? format(p.value) : '') },
      labelLayout: { hideOverlap: true },
      data: rows.map((r) => { const part = r.parts.find((x) => x.name === name); return part ? part.share : 0; }),
    }));
    return option;
  }

  function answers(data, theme) {
    const p = data.predictions[0];
    return grouped(theme, `Cycles per step of ${p.answers.rows} × ${p.answers.block}: three answers`, 'cycles per step',
      ['roofline', 'recurrence', 'simulated'],
      data.predictions.map((q) => ({ name: subject(q, data), data: [q.answers.roofline, q.answers.recurrence, q.answers.simulated] })));
  }

  function peak(data, theme) {
    return stacked(theme, 'Where the tensor peak goes', 'share of the peak over the predicted time',
      data.predictions.map((p) => ({ name: subject(p, data), parts: p.peak.filter((x) => x.share > 0) })), percent, 1);
  }

  function unitRoofline(data, theme) {
    const units = data.predictions[0].units.filter((u) => u.demand > 0);
    const option = grouped(theme, 'Roofline by unit: cycles that each step needs of it', 'cycles per step',
      units.map((u) => u.phrase),
      data.predictions.map((p) => ({
        name: subject(p, data),
        data: units.map((u) => { const own = p.units.find((v) => v.unit === u.unit); return own ? own.demand : 0; }),
      })));
    option.series.forEach((s, i) => {
      const step = data.predictions[i].answers.simulated;
      s.markLine = { symbol: 'none', lineStyle: { color: palette[i], type: 'dashed' },
        label: { color: theme.text, rotate: 0, formatter: `step ${number(step, 0)}`, position: 'start', distance: 4 + 14 * i },
        data: [{ xAxis: step }] };
    });
    const most = Math.max(...data.predictions.map((p) => p.answers.simulated));
    option.xAxis.max = Math.ceil(most * 1.15 / 100) * 100;
    option.grid.top += 14 * data.predictions.length;
    return option;
  }

  function flopByte(data, theme) {
    const option = base(theme, 'Roofline of work and traffic');
    const reach = data.predictions.map((p) => p.classic.flops_per_byte);
    const low = Math.min(10, ...reach) / 3, high = Math.max(3000, ...reach) * 3;
    option.xAxis = axis(theme, { type: 'log', name: 'FLOP executed per byte of HBM traffic', min: low, max: high,
      axisLabel: { color: theme.dim, formatter: (v) => number(v, 0) } });
    option.yAxis = axis(theme, { type: 'log', name: 'TFLOP/s', nameGap: 44, axisLabel: { color: theme.dim, formatter: (v) => number(v, 0) } });
    option.tooltip.formatter = (s) => (s.seriesType === 'scatter'
      ? `${escapeHtml(s.seriesName)}<br>${number(s.value[0], 0)} FLOP/B, <b>${number(s.value[1], 0)} TFLOP/s executed</b>`
      : escapeHtml(s.seriesName));
    option.series = [];
    data.predictions.forEach((p, i) => {
      const c = p.classic, bend = c.peak_tflops / c.hbm_tb_per_s;
      const roof = [low, bend, high].map((x) => [x, Math.min(c.peak_tflops, x * c.hbm_tb_per_s)]);
      option.series.push({ name: `${subject(p, data)} roof`, type: 'line', symbol: 'none', data: roof,
        lineStyle: { color: palette[i], width: 2, type: i ? 'dashed' : 'solid' }, itemStyle: { color: palette[i] } });
      option.series.push({ name: subject(p, data), type: 'scatter', symbolSize: 14, symbol: i ? 'diamond' : 'circle',
        itemStyle: { color: palette[i] }, data: [[c.flops_per_byte, c.executed_tflops]],
        label: { show: true, position: i ? 'top' : 'bottom', color: theme.text, formatter: `${subject(p, data)} ${number(c.executed_tflops, 0)}` } });
    });
    return option;
  }

  function causes(list, firstName, first, most) {
    const parts = [{ name: firstName, share: first }];
    let rest = 1 - first;
    for (const c of list.slice(0, most)) { parts.push({ name: c.cause, share: c.share }); rest -= c.share; }
    if (rest > 1e-4) parts.push({ name: 'other', share: rest });
    return parts;
  }
  function rowsOf(data, rows) {
    return data.predictions.flatMap((p) => rows(p).map((r) => Object.assign(r,
      data.predictions.length > 1 ? { name: `${p.gpu}: ${r.name}` } : {})));
  }
  function unitsIdle(data, theme) {
    return stacked(theme, 'What units do over the simulated tile', 'share of the time',
      rowsOf(data, (p) => p.units.filter((u) => u.run_busy > 0.02)
        .map((u) => ({ name: u.phrase, parts: causes(u.idle, 'busy', u.run_busy, 3) }))), percent, 1);
  }
  function stalls(data, theme) {
    return stacked(theme, 'What roles wait for over the simulated tile', 'share of the time',
      rowsOf(data, (p) => p.roles.map((r) => ({ name: r.role, parts: causes(r.stalls, 'issuing', r.issuing, 4) }))), percent, 1);
  }
  function storage(data, theme) {
    const rows = rowsOf(data, (p) => p.storage.map((s) => {
      const parts = s.parts.map((x) => ({ name: x.name, share: x.size / s.limit }));
      const used = parts.reduce((sum, x) => sum + x.share, 0);
      parts.push({ name: 'free', share: Math.max(0, 1 - used) });
      return { name: s.name, parts };
    }));
    return stacked(theme, 'Storage of one CTA', 'share of the limit', rows, percent, 1);
  }

  // The colour of an operation is its label's, wherever it runs.
  function gantt(p, theme, api) {
    const g = p.gantt;
    const option = base(theme, `${p.kernel} on ${p.gpu}: roles and units`);
    option.legend.show = false;
    const kinds = ['issues', 'runs', 'waits', 'arrives'];
    const colour = (s) => (s[2] === 2 ? theme.wait : s[2] === 3 ? theme.text : palette[s[1] % palette.length]);
    const truth = (t) => g.folds.reduce((sum, f) => sum + (t >= f.at ? f.time : 0), t);
    option.grid = { left: 8, right: 16, top: 32, bottom: 76, containLabel: true };
    option.xAxis = axis(theme, { type: 'value', name: g.folds.length ? 'cycle, repeated steps left out at the dotted line' : 'cycle',
      min: 0, max: g.end, axisLabel: { color: theme.dim, formatter: (v) => number(v, 0) } });
    option.yAxis = axis(theme, { type: 'category', inverse: true, data: g.lanes.map((l) => l.name), splitLine: { show: true, lineStyle: { color: theme.line } } });
    option.dataZoom = [
      { type: 'slider', xAxisIndex: 0, filterMode: 'weakFilter', startValue: g.windows[1].from, endValue: g.windows[1].to,
        bottom: 8, height: 22, labelFormatter: (v) => number(v, 0), textStyle: { color: theme.dim } },
      { type: 'inside', xAxisIndex: 0, filterMode: 'weakFilter', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false }];
    option.tooltip.formatter = (item) => {
      const s = g.slices[item.dataIndex];
      const lines = [`<b>${escapeHtml(g.labels[s[1]])}</b> ${kinds[s[2]]} on ${escapeHtml(g.lanes[s[0]].name)}`];
      if (s[5] >= 0) lines.push(`iteration ${s[5]}`);
      lines.push(`cycles ${number(truth(s[3]), 4)} to ${number(truth(s[3]) + s[4] - s[3], 4)}: ${number(s[4] - s[3], 4)}`);
      if (s[2] === 1) lines.push(`issued at ${number(truth(s[6]), 4)}, result at ${number(truth(s[6]) + s[7] - s[6], 4)}`);
      if (s[8] >= 0) lines.push(`${s[2] === 2 ? 'waits for' : 'did not start earlier because of'} ${escapeHtml(g.causes[s[8]])}`);
      if (s[10] >= 0) { const by = g.slices[s[10]]; lines.push(`ended by ${escapeHtml(g.labels[by[1]])} on ${escapeHtml(g.lanes[by[0]].name)}`); }
      if (s[9]) lines.push('on the critical cycle');
      return lines.join('<br>');
    };
    option.series = [{
      type: 'custom', clip: true, encode: { x: [1, 2], y: 0 }, dimensions: ['lane', 'start', 'end'],
      renderItem: (params, at) => {
        const s = g.slices[params.dataIndex];
        const start = at.coord([at.value(1), at.value(0)]), end = at.coord([at.value(2), at.value(0)]);
        const height = at.size([0, 1])[1] * (s[2] === 2 ? 0.36 : 0.74);
        const area = params.coordSys;
        const shape = api.graphic.clipRectByRect(
          { x: start[0], y: start[1] - height / 2, width: Math.max(1, end[0] - start[0]), height },
          { x: area.x, y: area.y, width: area.width, height: area.height });
        if (!shape) return undefined;
        const text = s[2] < 2 && shape.width > 7 * g.labels[s[1]].length + 4 ? g.labels[s[1]] : '';
        return { type: 'rect', shape, style: { fill: colour(s), stroke: s[9] ? theme.critical : 'none', lineWidth: s[9] ? 2 : 0 },
          textContent: text ? { style: { text, fontSize: 10, fill: '#000', stroke: '#fff', lineWidth: 2 } } : undefined,
          textConfig: text ? { position: 'inside' } : undefined };
      },
      markLine: g.folds.length ? { symbol: 'none', silent: true, lineStyle: { color: theme.dim, type: 'dotted' },
        label: { color: theme.dim, formatter: (m) => m.name, position: 'insideEndTop', rotate: 0 },
        data: g.folds.map((f) => ({ xAxis: f.at, name: `${number(f.time, 0)} cycles left out` })) } : undefined,
      data: g.slices.map((s) => [s[0], s[3], s[4]]),
    }];
    option.aria = { enabled: true, decal: { show: false }, label: { description:
      `Timeline of ${g.lanes.length} rows and ${g.slices.length} operations; the tables below say the same in numbers.` } };
    return option;
  }

  function scatter(data, theme) {
    const c = data.comparison;
    const option = base(theme, 'Measured against predicted, with bands of 10 %');
    const all = c.rows.flatMap((r) => [r.measured, r.predicted]);
    const low = Math.min(...all) / 1.3, high = Math.max(...all) * 1.3;
    const span = { type: 'log', min: low, max: high, axisLabel: { color: theme.dim, formatter: (v) => v.toPrecision(2) } };
    option.xAxis = axis(theme, Object.assign({ name: `measured, ${c.unit}` }, span));
    option.yAxis = axis(theme, Object.assign({ name: `predicted, ${c.unit}`, nameGap: 44 }, span));
    const line = (factor, name, type) => ({ name, type: 'line', symbol: 'none', silent: true, lineStyle: { color: theme.dim, type, width: 1 },
      itemStyle: { color: theme.dim }, data: [[low, low * factor], [high, high * factor]] });
    const symbols = ['circle', 'rect', 'triangle', 'diamond', 'pin', 'arrow'];
    option.tooltip.formatter = (s) => { const r = s.data && s.data.row; return r
      ? `${escapeHtml(r.name)}<br>measured ${r.measured.toPrecision(4)}, predicted ${r.predicted.toPrecision(4)}: <b>${(100 * r.error).toFixed(1)} %</b>`
      : escapeHtml(s.seriesName); };
    option.series = [line(1, 'equal', 'solid'), line(1.1, '10 % too slow', 'dashed'), line(1 / 1.1, '10 % too fast', 'dashed')]
      .concat(c.groups.map((g, i) => ({ name: g.name, type: 'scatter', symbol: symbols[i % symbols.length], symbolSize: 9,
        itemStyle: { color: palette[i % palette.length], borderColor: theme.text, borderWidth: 0.5 },
        data: c.rows.filter((r) => r.group === i).map((r) => ({ value: [r.measured, r.predicted], row: r })) })));
    return option;
  }
  function errors(data, theme) {
    const groups = data.comparison.groups;
    const option = grouped(theme, 'Errors of durations by group (positive: predicted too slow)', 'percent', groups.map((g) => g.name),
      [{ name: 'mean size', data: groups.map((g) => 100 * g.mean) }, { name: 'largest', data: groups.map((g) => 100 * g.largest) },
        { name: 'bias', data: groups.map((g) => 100 * g.bias) }]);
    return option;
  }

  // Every figure of the data: id, height in pixels, and its option for a theme.
  function list(data, api) {
    const figures = [];
    const add = (id, height, option) => figures.push({ id, height, option });
    const many = data.predictions.length;
    if (many) {
      add('answers', 170 + 40 * many, (t) => answers(data, t));
      add('peak', 150 + 40 * many, (t) => peak(data, t));
      add('unit-roofline', 130 + 40 * data.predictions[0].units.filter((u) => u.demand > 0).length * Math.min(many, 2), (t) => unitRoofline(data, t));
      add('flop-byte', 380, (t) => flopByte(data, t));
      data.predictions.forEach((p, i) => add(`gantt-${i}`, 130 + 22 * p.gantt.lanes.length, (t) => gantt(p, t, api)));
      add('units-idle', 130 + 30 * rowsOf(data, (p) => p.units.filter((u) => u.run_busy > 0.02).map(() => ({}))).length, (t) => unitsIdle(data, t));
      add('stalls', 130 + 30 * rowsOf(data, (p) => p.roles.map(() => ({}))).length, (t) => stalls(data, t));
      add('storage', 130 + 34 * rowsOf(data, (p) => p.storage.map(() => ({}))).length, (t) => storage(data, t));
    }
    if (data.comparison) {
      add('scatter', 520, (t) => scatter(data, t));
      add('errors', 130 + 60 * data.comparison.groups.length, (t) => errors(data, t));
    }
    return figures;
  }
  return { list, light, dark };
})();

if (typeof module !== 'undefined') module.exports = warplineFigures;
