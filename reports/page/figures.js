// The figures of a report as ECharts options, from its data alone: the page draws them, and an export
// without a browser does too. `theme` gives the colours that depend on light or dark.
'use strict';

const warplineFigures = (() => {
  // Okabe and Ito's colours, told apart with any colour vision; patterns repeat what colours say.
  const palette = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00', '#F0E442', '#8C8C8C'];
  // Beyond the palette, paler ones.
  const paler = (colour, share) => '#' + [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16);
    return Math.round(value + (255 - value) * share).toString(16).padStart(2, '0');
  }).join('');
  const colourOf = (index) => {
    const round = Math.floor(index / palette.length);
    return paler(palette[index % palette.length], round === 0 ? 0 : round === 1 ? 0.45 : 0.7);
  };
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
      legend: { top: 24, left: 0, itemWidth: 18, itemGap: 10, textStyle: { color: theme.text } },
      tooltip: { confine: true, backgroundColor: theme.back, borderColor: theme.line, textStyle: { color: theme.text } },
      grid: { left: 24, right: 24, top: 64, bottom: 36, containLabel: true },
    };
  }
  const axis = (theme, more) => Object.assign({
    axisLabel: { color: theme.dim }, axisLine: { lineStyle: { color: theme.line } },
    splitLine: { lineStyle: { color: theme.line } }, nameTextStyle: { color: theme.dim },
    nameLocation: 'middle', nameGap: 26,
  }, more);
  // Lines that a legend takes, from the width of its texts in a common font.
  function legendLines(names, wide) {
    const width = wide - 20;
    let lines = 1, at = 0;
    for (const name of names) {
      const item = 34 + 6.6 * name.length;
      if (at > 0 && at + item > width) { lines += 1; at = 0; }
      at += item;
    }
    return lines;
  }
  const labelled = (theme, format) => ({ show: true, position: 'right', color: theme.text, formatter: format });
  const subject = (p, data) => (data.predictions.length > 1 ? p.name : p.kernel);

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
  function partNames(rows) {
    const names = [...new Set(rows.flatMap((row) => row.parts.map((part) => part.name)))];
    const rest = (name) => Number(name === 'other' || name === 'free');
    return names.sort((a, b) => rest(a) - rest(b));
  }
  function stacked(theme, title, unit, rows, format, most) {
    const option = base(theme, title);
    const names = partNames(rows);
    option.grid.top = 34 + 22 * legendLines(names, theme.width);
    option.xAxis = axis(theme, { type: 'value', name: unit, max: most, axisLabel: { color: theme.dim, formatter: format } });
    option.yAxis = axis(theme, { type: 'category', data: rows.map((r) => r.name), inverse: true });
    option.tooltip.formatter = (p) => `${escapeHtml(p.name)}<br>${escapeHtml(p.seriesName)}: <b>${format(p.value)}</b>`;
    option.series = names.map((name, i) => ({
      name, type: 'bar', stack: 'all', barMaxWidth: 26,
      itemStyle: { color: colourOf(i) },
      label: { show: true, color: '#000', textBorderColor: '#fff', textBorderWidth: 2, fontSize: 10, overflow: 'truncate',
        ellipsis: '…', formatter: (p) => (p.value > 0.04 * (most || 1) ? `${format(p.value)} ${p.seriesName}` : '') },
      labelLayout: (p) => ({ width: Math.max(0, p.rect.width - 4) }),
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

  const peakRows = (data) => data.predictions.map((p) => ({ name: subject(p, data), parts: p.peak.filter((x) => x.share > 0) }));
  const peak = (rows, theme) => stacked(theme, 'Where the tensor peak goes', 'share of the peak over the predicted time', rows, percent, 1);

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
      data.predictions.length > 1 ? { name: `${p.name}: ${r.name}` } : {})));
  }
  const unitRows = (data) => rowsOf(data, (p) => p.units.filter((u) => u.run_busy > 0.02)
    .map((u) => ({ name: u.phrase, parts: causes(u.idle, 'busy', u.run_busy, 3) })));
  const roleRows = (data) => rowsOf(data, (p) => p.roles.map((r) => ({ name: r.role, parts: causes(r.stalls, 'issuing', r.issuing, 4) })));
  const unitsIdle = (rows, theme) => stacked(theme, 'What units do over the simulated tile', 'share of the time', rows, percent, 1);
  const stalls = (rows, theme) => stacked(theme, 'What roles wait for over the simulated tile', 'share of the time', rows, percent, 1);
  function storageRows(data) {
    return rowsOf(data, (p) => p.storage.map((s) => {
      const parts = s.parts.map((x) => ({ name: x.name, share: x.size / s.limit }));
      const used = parts.reduce((sum, x) => sum + x.share, 0);
      parts.push({ name: 'free', share: Math.max(0, 1 - used) });
      return { name: s.name, parts };
    }));
  }
  const storage = (rows, theme) => stacked(theme, 'Storage of one CTA', 'share of the limit', rows, percent, 1);

  // Cycles of a folded timeline in truth.
  const unfolded = (g, t) => g.folds.reduce((sum, f) => sum + (t >= f.at ? f.time : 0), t);

  // Rows over a folded time, to zoom and to move.
  function timeAxis(theme, title, g, names) {
    const option = base(theme, title);
    option.legend.show = false;
    option.grid = { left: 8, right: 60, top: 44, bottom: 76, containLabel: true };
    option.xAxis = axis(theme, { type: 'value', name: g.folds.length ? 'cycle, repeated steps left out at the dotted line' : 'cycle',
      min: 0, max: g.end,
      axisLabel: { color: theme.dim, formatter: (v) => number(v, 0), showMinLabel: false, showMaxLabel: false, hideOverlap: true } });
    option.yAxis = axis(theme, { type: 'category', inverse: true, data: names,
      splitLine: { show: true, lineStyle: { color: theme.line } }, axisLabel: { color: theme.dim, interval: 0 } });
    option.dataZoom = [
      { type: 'slider', xAxisIndex: 0, filterMode: 'none', startValue: g.windows[1].from, endValue: g.windows[1].to,
        bottom: 8, height: 22, labelFormatter: (v) => number(v, 0), textStyle: { color: theme.dim } },
      { type: 'inside', xAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false }];
    return option;
  }
  const foldLines = (g, theme) => (g.folds.length ? { symbol: 'none', silent: true, lineStyle: { color: theme.dim, type: 'dotted' },
    label: { color: theme.dim, formatter: (m) => m.name, position: 'start', rotate: 0 },
    data: g.folds.map((f) => ({ xAxis: f.at, name: `${number(f.time, 0)} cycles left out` })) } : undefined);
  // The colour of an operation is its label's, wherever it runs: those that take longest get the palette's.
  function coloursOf(labels, rows, lasts) {
    const time = labels.map(() => 0);
    for (const row of rows) time[row[1]] += lasts(row);
    const colours = [];
    labels.map((_, i) => i).sort((a, b) => time[b] - time[a]).forEach((label, i) => { colours[label] = colourOf(i); });
    return colours;
  }
  const clipped = (text, width) => (width > 6.4 * text.length + 4 ? text
    : width > 32 ? text.slice(0, Math.floor((width - 10) / 6.4)) + '…' : '');
  const place = (params, shape, api) => api.graphic.clipRectByRect(shape, { x: params.coordSys.x, y: params.coordSys.y,
    width: params.coordSys.width, height: params.coordSys.height });

  function gantt(p, theme, api) {
    const g = p.gantt;
    const option = timeAxis(theme, `${p.kernel} on ${p.name}: roles and units`, g, g.lanes.map((l) => l.name));
    const kinds = ['issues', 'runs', 'waits', 'arrives'];
    const colours = coloursOf(g.labels, g.slices, (s) => (s[2] < 2 ? s[4] - s[3] : 0));
    const colour = (s) => (s[2] === 2 ? theme.wait : s[2] === 3 ? theme.text : colours[s[1]]);
    const truth = (t) => unfolded(g, t);
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
      type: 'custom', clip: true, progressive: 0, encode: { x: [1, 2], y: 0 }, dimensions: ['lane', 'start', 'end'],
      renderItem: (params, at) => {
        const s = g.slices[params.dataIndex];
        const start = at.coord([at.value(1), at.value(0)]), end = at.coord([at.value(2), at.value(0)]);
        const height = at.size([0, 1])[1] * (s[2] === 2 ? 0.36 : 0.74);
        const shape = place(params, { x: start[0], y: start[1] - height / 2, width: Math.max(1, end[0] - start[0]), height }, api);
        if (!shape) return undefined;
        const text = s[2] < 2 ? clipped(g.labels[s[1]], shape.width) : '';
        return { type: 'rect', shape, style: { fill: colour(s), stroke: s[9] ? theme.critical : 'none', lineWidth: s[9] ? 2 : 0 },
          textContent: text ? { style: { text, fontSize: 10, fill: '#000', stroke: '#fff', lineWidth: 2 } } : undefined,
          textConfig: text ? { position: 'inside' } : undefined };
      },
      markLine: foldLines(g, theme),
      data: g.slices.map((s) => [s[0], s[3], s[4]]),
    }];
    option.aria = { enabled: true, decal: { show: false }, label: { description:
      `Timeline of ${g.lanes.length} rows and ${g.slices.length} operations; the tables below say the same in numbers.` } };
    return option;
  }

  // What lies in which buffer when; a lane is a copy or a stage.
  function memory(p, theme, api) {
    const m = p.memory, g = p.gantt;
    const option = timeAxis(theme, `${p.kernel} on ${p.name}: shared and tensor memory`, g,
      m.lanes.map((l) => `${l.space} ${l.name}`));
    const colours = coloursOf(m.labels, m.spans, (s) => (s[2] === 0 ? s[4] - s[3] : 0));
    const kinds = ['writes', 'wrote what is held here', 'reads'];
    option.tooltip.formatter = (item) => {
      const s = m.spans[item.dataIndex], lane = m.lanes[s[0]];
      const lines = [`<b>${escapeHtml(lane.space)} ${escapeHtml(lane.name)}</b>, ${escapeHtml(lane.size)}`,
        `${escapeHtml(m.labels[s[1]])} ${kinds[s[2]]}`];
      if (s[5] >= 0) lines.push(`iteration ${s[5]}`);
      lines.push(`cycles ${number(unfolded(g, s[3]), 1)} to ${number(unfolded(g, s[4]), 1)}`);
      return lines.join('<br>');
    };
    option.series = [{
      type: 'custom', clip: true, progressive: 0, encode: { x: [1, 2], y: 0 }, dimensions: ['lane', 'start', 'end'],
      renderItem: (params, at) => {
        const s = m.spans[params.dataIndex];
        const start = at.coord([at.value(1), at.value(0)]), end = at.coord([at.value(2), at.value(0)]);
        const height = at.size([0, 1])[1] * [0.74, 0.74, 0.22][s[2]];
        const shape = place(params, { x: start[0], y: start[1] - height / 2, width: Math.max(1, end[0] - start[0]), height }, api);
        if (!shape) return undefined;
        const text = s[2] < 2 ? clipped(m.labels[s[1]], shape.width) : '';
        return { type: 'rect', shape, style: s[2] === 2 ? { fill: theme.text, opacity: 0.75 }
          : { fill: colours[s[1]], opacity: s[2] === 0 ? 1 : 0.35 },
          textContent: text ? { style: { text, fontSize: 10, fill: theme.text, stroke: theme.back, lineWidth: 2 } } : undefined,
          textConfig: text ? { position: 'inside' } : undefined };
      },
      markLine: foldLines(g, theme),
      data: m.spans.map((s) => [s[0], s[3], s[4]]),
    }];
    option.aria = { enabled: true, decal: { show: false }, label: { description:
      `Map of ${m.lanes.length} buffers over time, ${m.spans.length} stretches in which one is written, held or read.` } };
    return option;
  }

  const scatterNames = (c) => ['equal', '10 % too slow', '10 % too fast', ...c.groups.map((g) => g.name)];
  function scatter(data, theme) {
    const c = data.comparison;
    const option = base(theme, 'Measured against predicted, with bands of 10 %');
    const all = c.rows.flatMap((r) => [r.measured, r.predicted]);
    const low = Math.min(...all) / 1.3, high = Math.max(...all) * 1.3;
    const span = { type: 'log', logBase: high / low < 200 ? 2 : 10, min: low, max: high,
      axisLabel: { color: theme.dim, formatter: (v) => String(Number(v.toPrecision(2))), showMinLabel: false, showMaxLabel: false } };
    option.grid.top = 34 + 22 * legendLines(scatterNames(c), theme.width);
    option.legend.itemHeight = 12;
    option.xAxis = axis(theme, Object.assign({ name: `measured, ${c.unit}` }, span));
    option.yAxis = axis(theme, Object.assign({ name: `predicted, ${c.unit}`, nameGap: 44 }, span));
    const line = (factor, name, type) => ({ name, type: 'line', symbol: 'none', silent: true, lineStyle: { color: theme.dim, type, width: 1 },
      itemStyle: { color: theme.dim }, data: [[low, low * factor], [high, high * factor]] });
    const symbols = ['circle', 'rect', 'triangle', 'diamond', 'roundRect'];
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

  function sweep(data, theme) {
    const w = data.sweep;
    const option = base(theme, `Rate by ${w.axis}`);
    const names = w.series.map((s) => s.name);
    const many = names.length > 16;
    option.legend.show = !many && names.length > 1;
    option.grid.top = option.legend.show ? 34 + 22 * legendLines(names, theme.width) : 44;
    const xs = w.series.flatMap((s) => s.points.map((p) => p.x));
    const spread = w.numbers && Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) > 20;
    option.xAxis = axis(theme, w.numbers ? { type: spread ? 'log' : 'value', logBase: 2, scale: true, name: w.axis }
      : { type: 'category', name: w.axis, data: [...new Set(w.series.flatMap((s) => s.points.map((p) => p.label)))] });
    option.yAxis = axis(theme, { type: 'value', name: 'TFLOP/s', nameGap: 54, scale: true });
    const symbols = ['circle', 'rect', 'triangle', 'diamond', 'roundRect'];
    option.tooltip.formatter = (s) => { const p = s.data.point;
      return `${escapeHtml(s.seriesName)}<br>${escapeHtml(w.axis)} ${escapeHtml(p.label)}: <b>${number(p.tflops)} TFLOP/s</b>, ${p.ms.toPrecision(4)} ms<br>bound by ${escapeHtml(p.bound)}`; };
    option.series = w.series.map((s, i) => ({ name: s.name || w.axis, type: 'line', symbol: symbols[i % symbols.length], symbolSize: 7,
      lineStyle: { color: colourOf(i), type: i < 8 ? 'solid' : 'dashed' }, itemStyle: { color: colourOf(i) },
      data: s.points.slice().sort((a, b) => (w.numbers ? a.x - b.x : 0))
        .map((p) => ({ value: [w.numbers ? p.x : p.label, p.tflops], point: p })) }));
    return option;
  }

  // Rates before and after, shape by shape.
  function whatif(data, theme) {
    const w = data.whatif;
    const option = grouped(theme, 'Before and after', 'TFLOP/s', w.rows.map((r) => r.name), [
      { name: w.before, data: w.rows.map((r) => r.before) },
      { name: w.after, data: w.rows.map((r) => r.after), label: labelled(theme, (p) => {
        const r = w.rows[p.dataIndex];
        return r.after ? `${number(r.after)}: ${(r.after / r.before).toFixed(2)}×` : '';
      }) }]);
    option.grid.top = 34 + 22 * legendLines([w.before, w.after], theme.width);
    option.grid.right = 110;
    return option;
  }
  // What each difference of two GPUs does alone.
  function effects(data, theme) {
    const w = data.whatif;
    const option = grouped(theme, 'Mean speed-up of each difference alone, percent', 'percent', w.effects.map((e) => e.name),
      [{ name: 'speed-up', data: w.effects.map((e) => 100 * (e.speedup - 1)) }], 2);
    return option;
  }

  // Every figure of the data: id, height in pixels, and its option for a theme, whose `width` is that of the page.
  function list(data, api, width) {
    const figures = [];
    const add = (id, height, option) => figures.push({ id, height: Math.round(height), option: (theme) => option(Object.assign({ width }, theme)) });
    const lines = (rows) => 22 * legendLines(partNames(rows), width);
    const many = data.predictions.length;
    if (many) {
      add('answers', 150 + 50 * many, (t) => answers(data, t));
      const peaks = peakRows(data), units = unitRows(data), roles = roleRows(data), stores = storageRows(data);
      add('peak', 90 + 40 * many + lines(peaks), (t) => peak(peaks, t));
      add('unit-roofline', 130 + 40 * data.predictions[0].units.filter((u) => u.demand > 0).length * Math.min(many, 1.5), (t) => unitRoofline(data, t));
      add('flop-byte', 420, (t) => flopByte(data, t));
      data.predictions.forEach((p, i) => {
        add(`gantt-${i}`, 140 + 22 * p.gantt.lanes.length, (t) => gantt(p, t, api));
        if (p.memory.lanes.length) add(`memory-${i}`, 140 + 22 * p.memory.lanes.length, (t) => memory(p, t, api));
      });
      add('units-idle', 90 + 30 * units.length + lines(units), (t) => unitsIdle(units, t));
      add('stalls', 90 + 30 * roles.length + lines(roles), (t) => stalls(roles, t));
      add('storage', 90 + 34 * stores.length + lines(stores), (t) => storage(stores, t));
    }
    if (data.whatif) {
      add('whatif', 120 + 46 * data.whatif.rows.length, (t) => whatif(data, t));
      if (data.whatif.effects.length) add('effects', 90 + 28 * data.whatif.effects.length, (t) => effects(data, t));
    }
    if (data.sweep) add('sweep', 440 + (data.sweep.series.length <= 16 ? 22 * legendLines(data.sweep.series.map((s) => s.name), width) : 0), (t) => sweep(data, t));
    if (data.comparison) {
      add('scatter', 480 + 22 * legendLines(scatterNames(data.comparison), width), (t) => scatter(data, t));
      add('errors', 130 + 60 * data.comparison.groups.length, (t) => errors(data, t));
    }
    return figures;
  }
  return { list, light, dark };
})();

if (typeof module !== 'undefined') module.exports = warplineFigures;
