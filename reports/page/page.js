// Draws the figures into the page, keeps them the size of their places, and answers the keyboard.
'use strict';

(() => {
  const data = JSON.parse(document.getElementById('report-data').textContent);
  const charts = {};
  window.warplineReport = { charts, data, drawn: false };
  if (typeof echarts === 'undefined') return;
  document.body.classList.add('with-charts');

  const darkMode = window.matchMedia('(prefers-color-scheme: dark)');
  // Figures over time: those of one prediction show the same part of it.
  const timed = (id) => /^(gantt|memory)-(\d+)$/.exec(id);
  const windowsOf = (id) => data.predictions[Number(timed(id)[2])].gantt.windows;
  // Paper has its own width, in pixels of a sheet of A4 less its margins, and is light.
  const paper = 680;
  let printing = false;

  function draw() {
    const theme = darkMode.matches && !printing ? warplineFigures.dark : warplineFigures.light;
    const width = printing ? paper : document.querySelector('main').clientWidth;
    for (const figure of warplineFigures.list(data, echarts, { width, pairs: !printing, paper: printing })) {
      const place = document.querySelector(`[data-figure="${figure.id}"]`);
      if (!place) continue;
      place.style.height = `${figure.height}px`;
      const zoom = charts[figure.id] && charts[figure.id].getOption().dataZoom;
      if (!charts[figure.id]) open(figure, place);
      charts[figure.id].resize({ width: printing ? paper : 'auto' });
      charts[figure.id].setOption(figure.option(theme), true);
      if (zoom && zoom.length) show(figure.id, zoom[0].startValue, zoom[0].endValue);
    }
    window.warplineReport.drawn = true;
  }

  function open({ id, title }, place) {
    const heading = document.createElement('h3');
    heading.textContent = title;
    place.before(heading);
    charts[id] = echarts.init(place, null, { renderer: 'svg' });
    if (!timed(id)) return;
    controls(id, place);
    charts[id].on('datazoom', () => {
      const { startValue, endValue } = charts[id].getOption().dataZoom[0];
      for (const other of Object.keys(charts)) {
        if (other === id || !timed(other) || timed(other)[2] !== timed(id)[2]) continue;
        const zoom = charts[other].getOption().dataZoom[0];
        if (Math.abs(zoom.startValue - startValue) + Math.abs(zoom.endValue - endValue) > 1e-6) show(other, startValue, endValue);
      }
    });
  }

  function show(id, from, to) {
    const chart = charts[id];
    const end = chart.getOption().xAxis[0].max;
    const start = Math.max(0, from), stop = Math.min(end, to);
    if (stop > start) chart.dispatchAction({ type: 'dataZoom', dataZoomIndex: 0, startValue: start, endValue: stop });
  }
  // Zooms about the middle by `factor` and moves by `shift` of what is shown.
  function move(id, factor, shift) {
    const zoom = charts[id].getOption().dataZoom[0];
    const width = zoom.endValue - zoom.startValue, middle = (zoom.startValue + zoom.endValue) / 2 + shift * width;
    show(id, middle - width * factor / 2, middle + width * factor / 2);
  }

  function controls(id, place) {
    const bar = document.createElement('div');
    bar.className = 'controls';
    const button = (text, label, act) => {
      const made = document.createElement('button');
      made.type = 'button';
      made.textContent = text;
      made.setAttribute('aria-label', label);
      made.addEventListener('click', act);
      bar.append(made);
    };
    for (const w of windowsOf(id)) button(w.name, `show ${w.name}`, () => show(id, w.from, w.to));
    button('all', 'show everything', () => show(id, 0, Infinity));
    button('+', 'zoom in', () => move(id, 0.5, 0));
    button('−', 'zoom out', () => move(id, 2, 0));
    button('←', 'move left', () => move(id, 1, -0.25));
    button('→', 'move right', () => move(id, 1, 0.25));
    place.before(bar);
    place.tabIndex = 0;
    place.addEventListener('keydown', (event) => {
      const keys = { '+': [0.5, 0], '=': [0.5, 0], '-': [2, 0], ArrowLeft: [1, -0.25], ArrowRight: [1, 0.25] };
      if (keys[event.key]) move(id, ...keys[event.key]);
      else if (event.key === '0' || event.key === 'Home') show(id, 0, Infinity);
      else return;
      event.preventDefault();
    });
  }

  draw();
  darkMode.addEventListener('change', draw);
  window.addEventListener('resize', draw);
  // Paper cannot be clicked on: tables of a page or so are opened for it.
  const most = 40;
  let opened = [];
  window.addEventListener('beforeprint', () => {
    printing = true;
    opened = [...document.querySelectorAll('details:not([open])')].filter((d) => d.querySelectorAll('tr').length <= most);
    for (const table of opened) table.open = true;
    draw();
  });
  window.addEventListener('afterprint', () => {
    printing = false;
    for (const table of opened) table.open = false;
    draw();
  });
})();
