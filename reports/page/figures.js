// Every figure of a report's data: the page draws them, and an export without a browser does too.
'use strict';

const warplineFigures = ((look, bars, timeline, points) => {
  // `room`: the page's width in pixels, whether two narrow figures may stand beside each other, whether figures carry
  // their own titles, whether they are for paper. A figure has id, title, height in pixels, and an option of the chart
  // library for the light or the dark theme.
  function list(data, api, room) {
    const { width, pairs = false, titled = false, paper = false } = room;
    const figures = [], colours = look.coloursOf(data);
    const half = pairs && width >= 936 ? (width - 16) / 2 : width;
    const add = (id, title, own, height, option) => {
      const shape = { width: own, height: Math.round(height), titled, paper, colours };
      figures.push({ id, title, height: shape.height, option: (theme) => option(Object.assign({}, theme, shape)) });
    };
    const head = (names, own) => look.headRoom(names, { width: own, titled });
    const many = data.predictions.length;
    const stack = (id, title, unit, rows, each) => add(id, title, width,
      head(bars.partNames(rows, colours), width) + 44 + each * rows.length, (t) => bars.stacked(t, title, unit, rows));
    if (many) {
      const names = many > 1 ? data.predictions.map((p) => p.name) : [];
      add('answers', bars.answerTitle(data), width, head(names, width) + 44 + 3 * (16 + 22 * many), (t) => bars.answers(data, t));
      stack('peak', 'Where the tensor peak goes', 'share of the peak over the predicted time', bars.peakRows(data), 38);
      const units = data.predictions[0].units.filter((u) => u.demand > 0).length;
      const tall = Math.max(400, head(names, half) + 44 + 14 * many + units * (8 + 18 * many));
      const needs = 'Roofline by unit: cycles that a step needs of each', work = 'Roofline of work and traffic';
      add('unit-roofline', needs, half, tall, (t) => bars.unitRoofline(data, needs, t));
      add('flop-byte', work, half, half < width ? tall : 400, (t) => points.flopByte(data, work, t));
      data.predictions.forEach((p, i) => {
        const on = `${p.kernel} on ${p.name}: `, does = on + 'roles and units', holds = on + 'shared and tensor memory';
        add(`gantt-${i}`, does, width, (titled ? 116 : 92) + 22 * p.gantt.lanes.length, (t) => timeline.gantt(p, does, t, api));
        if (p.memory.lanes.length) add(`memory-${i}`, holds, width, (titled ? 116 : 92) + 22 * p.memory.lanes.length, (t) => timeline.memory(p, holds, t, api));
      });
      stack('units-idle', 'What units do over the simulated tile', 'share of the time', bars.unitRows(data), 27);
      stack('stalls', 'What roles wait for over the simulated tile', 'share of the time', bars.roleRows(data), 27);
      stack('storage', 'Storage of one CTA', 'share of the limit', bars.storageRows(data), 30);
    }
    if (data.whatif) {
      const w = data.whatif, rates = 'Before and after', alone = 'Speed-up by each difference alone';
      if (w.rows.length) add('whatif', rates, width, head([w.before, w.after], width) + 44 + 52 * w.rows.length, (t) => bars.whatif(data, rates, t));
      if (w.effects.length) add('effects', alone, width, head([], width) + 44 + 26 * w.effects.length, (t) => bars.effects(data, alone, t));
    }
    if (data.sweep && data.sweep.series.length) {
      const title = `Rate by ${data.sweep.axis}`;
      add('sweep', title, width, 440 + head(points.sweepNames(data.sweep), width), (t) => points.sweep(data, title, t));
    }
    if (data.comparison && data.comparison.rows.length) {
      const both = 'Measured against predicted, with bands of 10 %', off = 'Errors by duration, with bands of 10 %',
        groups = 'Errors of durations by group';
      add('scatter', both, width, 420 + head(points.groupNames(data), width), (t) => points.scatter(data, both, t));
      add('residuals', off, width, 320, (t) => points.residuals(data, off, t));
      add('errors', groups, width, head(['mean size', 'largest', 'bias'], width) + 44 + 58 * data.comparison.groups.length, (t) => bars.errors(data, groups, t));
    }
    return figures;
  }
  return { list, light: look.light, dark: look.dark };
})(warplineLook, warplineBars, warplineTimeline, warplinePoints);

if (typeof module !== 'undefined') module.exports = warplineFigures;
