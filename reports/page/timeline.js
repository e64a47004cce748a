// Figures over the time of a tile: what roles and units do, and what memory holds.
'use strict';

const warplineTimeline = ((look) => {
  const { number, escapeHtml } = look;
  // Cycles of a folded timeline in truth.
  const unfolded = (g, t) => g.folds.reduce((sum, f) => sum + (t >= f.at ? f.time : 0), t);

  // Rows over a folded time, to zoom and to move. On paper nothing slides.
  function timeAxis(theme, title, g, rows) {
    const option = look.base(theme, title);
    option.grid = { left: 8, right: 24, top: (theme.titled ? 26 : 0) + 20, bottom: theme.paper ? 36 : 70, containLabel: true };
    option.xAxis = look.axis(theme, { type: 'value', min: 0, max: g.end,
      name: g.folds.length ? (look.narrow(theme) ? 'cycle, folded at the dots' : 'cycle; repeated steps are left out at the dotted line') : 'cycle',
      axisLabel: { formatter: (v) => number(unfolded(g, v), 0), showMinLabel: false, showMaxLabel: false } });
    option.yAxis = look.rowAxis(theme, rows.map((r) => r.name), { splitLine: { show: true, lineStyle: { color: theme.line } },
      axisLabel: { color: (_, i) => (rows[i].unit ? theme.dim : theme.text) } });
    option.dataZoom = [
      { type: 'slider', show: !theme.paper, xAxisIndex: 0, filterMode: 'none', startValue: g.windows[1].from, endValue: g.windows[1].to,
        bottom: 8, height: 20, labelFormatter: (v) => number(unfolded(g, v), 0), textStyle: { color: theme.dim }, borderColor: theme.line,
        fillerColor: theme.slide + '40', handleStyle: { color: theme.back, borderColor: theme.slide },
        moveHandleStyle: { color: theme.slide }, brushSelect: false },
      { type: 'inside', xAxisIndex: 0, filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseWheel: false }];
    option.aria.decal.show = false;
    return option;
  }
  const foldLines = (g, theme) => (g.folds.length ? { symbol: 'none', silent: true, lineStyle: { color: theme.dim, type: 'dotted' },
    label: { color: theme.dim, fontSize: 11, formatter: (m) => m.name, position: 'start', rotate: 0 },
    data: g.folds.map((f) => ({ xAxis: f.at, name: `${number(f.time, 0)} cycles left out` })) } : undefined);
  const clipped = (text, width) => (width > 6.2 * text.length + 4 ? text
    : width > 32 ? text.slice(0, Math.floor((width - 10) / 6.2)) + '…' : '');

  // One rectangle a row of `data` (lane, start, end), whose look `of` says: share of the lane's height, style, text.
  const rectangles = (api, data, of) => ({
    type: 'custom', clip: true, progressive: 0, encode: { x: [1, 2], y: 0 }, dimensions: ['lane', 'start', 'end'], data,
    renderItem: (params, at) => {
      const item = of(params.dataIndex);
      const start = at.coord([at.value(1), at.value(0)]), end = at.coord([at.value(2), at.value(0)]);
      const height = at.size([0, 1])[1] * item.height;
      const { x, y, width, height: all } = params.coordSys;
      const shape = api.graphic.clipRectByRect({ x: start[0], y: start[1] + (item.lower || 0) * at.size([0, 1])[1] - height / 2, width: Math.max(1, end[0] - start[0]), height },
        { x, y, width, height: all });
      if (!shape) return undefined;
      const text = item.text ? clipped(item.text, shape.width) : '';
      return { type: 'rect', shape, style: item.style,
        textContent: text ? { style: { text, fontSize: 10.5, fill: item.ink } } : undefined,
        textConfig: text ? { position: 'inside' } : undefined };
    },
  });

  const kinds = ['issues', 'runs', 'waits', 'arrives'];
  function hover(g, index) {
    const s = g.slices[index], truth = (t) => unfolded(g, t);
    const lines = [`<b>${escapeHtml(g.labels[s[1]])}</b> ${kinds[s[2]]} on ${escapeHtml(g.lanes[s[0]].name)}`];
    if (s[5] >= 0) lines.push(`iteration ${s[5]}`);
    lines.push(`cycles ${number(truth(s[3]), 4)} to ${number(truth(s[3]) + s[4] - s[3], 4)}: <b>${number(s[4] - s[3], 4)}</b>`);
    if (s[2] === 1) lines.push(`issued at ${number(truth(s[6]), 4)}, result at ${number(truth(s[6]) + s[7] - s[6], 4)}`);
    if (s[8] >= 0) lines.push(`${s[2] === 2 ? 'waits for' : 'did not start earlier because of'} ${escapeHtml(g.causes[s[8]])}`);
    if (s[10] >= 0) { const by = g.slices[s[10]]; lines.push(`ended by ${escapeHtml(g.labels[by[1]])} on ${escapeHtml(g.lanes[by[0]].name)}`); }
    if (s[9]) lines.push('on the critical cycle');
    return lines.join('<br>');
  }

  function gantt(p, title, theme, api) {
    const g = p.gantt;
    const option = timeAxis(theme, title, g, g.lanes);
    option.tooltip.formatter = (item) => hover(g, item.dataIndex);
    option.series = [Object.assign(rectangles(api, g.slices.map((s) => [s[0], s[3], s[4]]), (i) => {
      const s = g.slices[i];
      const fill = s[2] === 2 ? theme.wait : s[2] === 3 ? theme.text : theme.colours.operation(g.labels[s[1]]);
      return { height: s[2] === 2 ? 0.34 : 0.76, text: s[2] < 2 ? g.labels[s[1]] : '', ink: look.ink(fill),
        style: { fill, stroke: s[9] ? theme.critical : 'none', lineWidth: s[9] ? 2 : 0 } };
    }), { markLine: foldLines(g, theme) })];
    option.aria.label = { description:
      `Timeline of ${g.lanes.length} rows and ${g.slices.length} operations; the tables below say the same in numbers.` };
    return option;
  }

  // What lies in which buffer when; a lane is a copy or a stage.
  function memory(p, title, theme, api) {
    const m = p.memory, g = p.gantt;
    const option = timeAxis(theme, title, g, m.lanes.map((l) => ({ name: `${l.space} ${l.name}` })));
    const doing = ['writes', 'wrote what is held here', 'reads'];
    option.tooltip.formatter = (item) => {
      const s = m.spans[item.dataIndex], lane = m.lanes[s[0]];
      const lines = [`<b>${escapeHtml(lane.space)} ${escapeHtml(lane.name)}</b>, ${escapeHtml(lane.size)}`,
        `${escapeHtml(m.labels[s[1]])} ${doing[s[2]]}`];
      if (s[5] >= 0) lines.push(`iteration ${s[5]}`);
      lines.push(`cycles ${number(unfolded(g, s[3]), 1)} to ${number(unfolded(g, s[4]), 1)}`);
      return lines.join('<br>');
    };
    option.series = [Object.assign(rectangles(api, m.spans.map((s) => [s[0], s[3], s[4]]), (i) => {
      const s = m.spans[i], fill = theme.colours.operation(m.labels[s[1]]);
      if (s[2] === 2) return { height: 0.12, lower: 0.33, style: { fill: theme.text, opacity: 0.85 } };
      return { height: 0.78, text: m.labels[s[1]], ink: s[2] === 0 ? look.ink(fill) : theme.text,
        style: { fill, opacity: s[2] === 0 ? 1 : 0.28 } };
    }), { markLine: foldLines(g, theme) })];
    option.aria.label = { description:
      `Map of ${m.lanes.length} buffers over time, ${m.spans.length} stretches in which one is written, held or read.` };
    return option;
  }
  return { gantt, memory };
})(warplineLook);
