
(() => {
  'use strict';
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  root.classList.add('js');

  // The theme follows the system until somebody chooses.
  const themes = ['system', 'light', 'dark'];
  const theme = byId('theme');
  let chosen = 0;
  const keep = (name) => { try { localStorage.setItem('rolecall-theme', name); } catch { /* not allowed here */ } };
  const kept = () => { try { return localStorage.getItem('rolecall-theme'); } catch { return null; } };
  const paint = (i) => {
    chosen = i;
    if (i === 0) { root.removeAttribute('data-theme'); } else { root.setAttribute('data-theme', themes[i]); }
    theme.textContent = 'Theme: ' + themes[i];
  };
  paint(Math.max(0, themes.indexOf(kept())));
  theme.hidden = false;
  theme.addEventListener('click', () => { paint((chosen + 1) % themes.length); keep(themes[chosen]); });

  // The filter hides what does not fit. Its index is made when it is first used.
  const text = byId('text');
  const selects = [['kind', 'k'], ['source', 's'], ['owner', 'o']].map(([id, key]) => ({ select: byId(id), key }));
  const groups = [
    { one: 'finding', name: 'findings', items: 'article.card', nothing: 0 },
    { one: 'role', name: 'roles', items: 'tbody > tr[id]', nothing: 1 },
    { items: '.lanes > li' },
    { items: '.alike > .card' },
    { items: '.edit' },
    { items: 'tbody > tr:not([id])', whole: true }, // what was looked at is no match of a word
    { items: '.notes > li' },
  ];
  const nothings = [...document.querySelectorAll('.nothing')];
  const boxes = [...document.querySelectorAll('.daybox')];
  let index = null;
  const makeIndex = () => groups.map((g) => [...document.querySelectorAll(g.items)].map((node) => ({ node, text: node.textContent.toLowerCase() })));
  const number = new Intl.NumberFormat('en');

  const apply = () => {
    index = index || makeIndex();
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = selects.filter((s) => s.select.value !== '');
    const active = words.length + wanted.length > 0;
    const said = [];
    groups.forEach((g, i) => {
      let shown = 0;
      for (const { node, text } of index[i]) {
        const fits = wanted.every((s) => !(s.key in node.dataset) || node.dataset[s.key] === s.select.value) && (g.whole || words.every((w) => text.includes(w)));
        node.hidden = !fits;
        if (fits) { shown++; }
      }
      if (g.one) {
        said.push(number.format(shown) + ' of ' + number.format(index[i].length) + ' ' + (index[i].length === 1 ? g.one : g.name));
        nothings[g.nothing].hidden = !active || shown > 0 || index[i].length === 0;
      }
    });
    const source = selects[1].select.value;
    for (const box of boxes) { box.hidden = source !== '' && box.dataset.s !== source; }
    byId('count').textContent = active ? 'Shown: ' + said.join(', ') + '.' : '';
  };
  let waiting = 0;
  text.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
  for (const { select } of selects) { select.addEventListener('change', apply); }
  const clear = () => { text.value = ''; for (const { select } of selects) { select.value = ''; } apply(); };
  byId('clear').addEventListener('click', () => { clear(); text.focus(); });
  byId('filter').hidden = false;

  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) { return; }
    const typing = e.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
    if (e.key === '/' && !typing) { e.preventDefault(); text.focus(); text.select(); }
    if (e.key === 'Escape' && e.target === text) { clear(); }
  });

  // A link to what the filter hides shows it.
  const reveal = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* as it is */ }
    const target = id && byId(id);
    if (!target) { return; }
    if (target.closest('[hidden]')) { clear(); }
    target.scrollIntoView();
  };
  window.addEventListener('hashchange', reveal);

  const copies = [...document.querySelectorAll('.copy')];
  for (const button of copies) {
    button.hidden = false;
  }
  document.addEventListener('click', (e) => {
    const button = e.target instanceof Element && e.target.closest('.copy');
    if (!button) { return; }
    const code = button.parentElement.querySelector('code');
    const done = () => { button.firstChild.data = 'Copied'; setTimeout(() => { button.firstChild.data = 'Copy'; }, 1500); };
    const mark = () => { getSelection().selectAllChildren(code); };
    if (navigator.clipboard) { navigator.clipboard.writeText(code.textContent).then(done, mark); } else { mark(); }
  });

  // Paper has no folds.
  let folded = [];
  window.addEventListener('beforeprint', () => { folded = [...document.querySelectorAll('details:not([open])')]; for (const d of folded) { d.open = true; } });
  window.addEventListener('afterprint', () => { for (const d of folded) { d.open = false; } folded = []; });
})();
