// Figures made of bars.
'use strict';

const warplineBars = ((look) => {
  const { number, percent, escapeHtml, narrow } = look;
  const subject = (p, data) => (data.predictions.length > 1 ? p.name : p.kernel);

  // Bars of one value a category, a series for each of `series`: {name, data}.
  function grouped(theme, title, unit, categories, series, digits) {
    const names = series.length > 1 ? series.map((s) => s.name) : [];
    const option = look.base(theme, title, names);
    option.xAxis = look.axis(theme, { type: 'value', name: unit });
    option.yAxis = look.rowAxis(theme, categories);
    option.aria.decal.decals = series.map((_, i) => look.pattern(i));
    option.series = series.map((s) => Object.assign({ type: 'bar', barMaxWidth: 20,
      label: { show: true, position: 'right', color: theme.text, fontSize: 11, formatter: (p) => number(p.value, digits) } }, s));
    option.grid.right = narrow(theme) ? 44 : 72;
    return option;
  }

  // Shares of a whole, stacked: rows of {name, label, parts: [{name, share, note}]}.
  function partNames(rows, colours) {
    const names = [...new Set(rows.flatMap((row) => row.parts.map((part) => part.name)))];
    const order = (name, i) => { const at = colours.part(name, 1000 + i); return at < 0 ? 2000 : at; };
    return names.map((name, i) => [order(name, i), name]).sort((a, b) => a[0] - b[0]).map((pair) => pair[1]);
  }
  function stacked(theme, title, unit, rows) {
    const names = partNames(rows, theme.colours);
    const option = look.base(theme, title, names);
    option.xAxis = look.axis(theme, { type: 'value', name: unit, max: 1, axisLabel: { formatter: percent } });
    option.yAxis = look.rowAxis(theme, rows.map((r) => r.label || r.name));
    option.tooltip.formatter = (item) => {
      const row = rows[item.dataIndex], part = row.parts.find((p) => p.name === item.seriesName);
      return `${escapeHtml(row.name)}<br>${escapeHtml(item.seriesName)}: <b>${percent(item.value)}</b>${part && part.note ? `, ${escapeHtml(part.note)}` : ''}`;
    };
    let others = 0;
    const places = names.map((name) => { const at = theme.colours.part(name, NaN); return Number.isNaN(at) ? 1 + others++ : at; });
    option.aria.decal.decals = places.map((at) => look.pattern(at < 0 ? 0 : Math.floor(at / look.palette.length)));
    option.series = names.map((name, i) => {
      const color = places[i] < 0 ? theme.rest : look.colourOf(places[i]);
      return { name, type: 'bar', stack: 'all', barMaxWidth: 24,
        itemStyle: { color, borderColor: theme.back, borderWidth: 1 },
        label: { show: true, color: look.ink(color), fontSize: 10.5, overflow: 'truncate', ellipsis: '…',
          formatter: (p) => (p.value > 0.035 ? `${p.value > 0.15 ? percent(p.value) : number(100 * p.value, 0) + ' %'} ${name}` : '') },
        labelLayout: (p) => ({ width: Math.max(0, p.rect.width - 6), hideOverlap: false }),
        data: rows.map((r) => { const part = r.parts.find((x) => x.name === name); return part ? part.share : 0; }) };
    });
    return option;
  }

  const answerTitle = (data) => { const a = data.predictions[0].answers; return `Cycles per step of ${a.rows} × ${a.block}: three answers`; };
  const answers = (data, theme) => grouped(theme, answerTitle(data), 'cycles per step', ['roofline', 'recurrence', 'simulated'],
    data.predictions.map((q) => ({ name: subject(q, data), data: [q.answers.roofline, q.answers.recurrence, q.answers.simulated] })));

  function unitRoofline(data, title, theme) {
    const need = (p, unit) => { const own = p.units.find((v) => v.unit === unit); return own ? own.demand : 0; };
    const most = (u) => Math.max(...data.predictions.map((p) => need(p, u.unit)));
    const units = data.predictions[0].units.filter((u) => most(u) > 0).sort((a, b) => most(b) - most(a));
    const option = grouped(theme, title, 'cycles per step', units.map((u) => u.phrase),
      data.predictions.map((p) => ({ name: subject(p, data), data: units.map((u) => need(p, u.unit)) })), 0);
    const many = data.predictions.length;
    option.series.forEach((s, i) => {
      const step = data.predictions[i].answers.simulated;
      s.markLine = { symbol: 'none', silent: true, lineStyle: { color: look.palette[i], type: i ? 'dotted' : 'dashed', width: 1.5 },
        label: { color: theme.text, fontSize: 11, rotate: 0, position: 'start', distance: 4 + 14 * i, align: 'right',
          formatter: `simulated step${many > 1 ? ` ${data.predictions[i].name}` : ''} ${number(step, 0)}` },
        data: [{ xAxis: step }] };
    });
    option.xAxis.max = Math.ceil(Math.max(...data.predictions.map((p) => p.answers.simulated)) * 1.1 / 100) * 100;
    option.grid.top += 14 * many;
    option.grid.right = 36;
    return option;
  }

  // Rows of every prediction, those of the same thing beside each other.
  function rowsOf(data, rows) {
    const all = data.predictions.map((p) => rows(p));
    if (all.length === 1) return all[0];
    const names = [...new Set(all.flatMap((list) => list.map((r) => r.name)))];
    return names.flatMap((name) => all.flatMap((list, i) => list.filter((r) => r.name === name)
      .map((r) => Object.assign(r, { name: `${name}, ${data.predictions[i].name}`, label: `${name}, ${data.predictions[i].name}` }))));
  }
  function causes(list, firstName, first, most) {
    const parts = [{ name: firstName, share: first }];
    let rest = 1 - first;
    for (const c of list.slice(0, most)) { parts.push({ name: c.cause, share: c.share }); rest -= c.share; }
    if (rest > 1e-4) parts.push({ name: 'other', share: rest });
    return parts;
  }
  const peakRows = (data) => data.predictions.map((p) => ({ name: subject(p, data), parts: p.peak.filter((x) => x.share > 0) }));
  const unitRows = (data) => rowsOf(data, (p) => p.units.filter((u) => u.run_busy > 0.02)
    .map((u) => ({ name: u.phrase, parts: causes(u.idle, 'busy', u.run_busy, 3) })));
  const roleRows = (data) => rowsOf(data, (p) => p.roles.map((r) => ({ name: r.role, parts: causes(r.stalls, 'issuing', r.issuing, 4) })));
  const storageRows = (data) => rowsOf(data, (p) => p.storage.map((s) => {
    const parts = s.parts.map((x) => ({ name: x.name, share: x.size / s.limit, note: `${number(x.size, 0)} of ${number(s.limit, 0)}` }));
    const used = parts.reduce((sum, x) => sum + x.share, 0);
    parts.push({ name: 'free', share: Math.max(0, 1 - used), note: number(s.limit * Math.max(0, 1 - used), 0) });
    return { name: s.name, parts };
  }));

  function errors(data, title, theme) {
    const groups = data.comparison.groups;
    return grouped(theme, title, 'percent', groups.map((g) => g.name),
      [{ name: 'mean size', data: groups.map((g) => 100 * g.mean) }, { name: 'largest', data: groups.map((g) => 100 * g.largest) },
        { name: 'bias', data: groups.map((g) => 100 * g.bias) }]);
  }
  // Rates before and after, shape by shape.
  function whatif(data, title, theme) {
    const w = data.whatif;
    const option = grouped(theme, title, 'TFLOP/s', w.rows.map((r) => r.name), [
      { name: w.before, data: w.rows.map((r) => r.before) }, { name: w.after, data: w.rows.map((r) => r.after) }]);
    option.series[1].label.formatter = (p) => `${number(p.value)}: ${(w.rows[p.dataIndex].after / w.rows[p.dataIndex].before).toFixed(3)}×`;
    option.grid.right = narrow(theme) ? 96 : 120;
    return option;
  }
  // What each difference of two GPUs does alone.
  function effects(data, title, theme) {
    const list = data.whatif.effects, value = (e) => 100 * (e.speedup - 1);
    const option = grouped(theme, title, 'percent', list.map((e) => (e.change && !narrow(theme) ? `${e.name}: ${e.change}` : e.name)),
      [{ name: 'speed-up', data: list.map((e) => ({ value: value(e), itemStyle: { color: e.change ? look.palette[0] : look.palette[5] },
        label: { position: value(e) < 0 ? 'left' : 'right' } })) }], 2);
    option.xAxis.boundaryGap = ['8%', '2%'];
    if (!narrow(theme)) option.yAxis.axisLabel.width = 380;
    option.series[0].label.formatter = (p) => `${number(p.value, 2)} %`;
    return option;
  }

  return { answerTitle, answers, unitRoofline, stacked, partNames, peakRows, unitRows, roleRows, storageRows, errors, whatif, effects };
})(warplineLook);
