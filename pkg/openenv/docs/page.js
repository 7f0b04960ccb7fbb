// The page: the list of operations, the operations, the filter and the token.
const at = (id) => document.getElementById(id);

const answers = (operation) => {
  const out = make('div', {}, make('h4', {}, 'Answers'));
  for (const [status, given] of Object.entries(operation.responses)) {
    const answer = follow(given);
    const head = [make('span', { class: 'name' }, status), ' ', ...marked(answer.description ?? '')];
    const [type, media] = Object.entries(answer.content ?? {})[0] ?? [];
    const more = Object.entries(answer.headers ?? {}).map(([name, h]) => make('p', {}, make('span', { class: 'name' }, name), ' ', make('span', { class: 'quiet' }, h.description ?? '')));
    out.append(media
      ? make('details', { class: 'answer' }, make('summary', {}, ...head), ...more, type === 'application/json' ? shape(media.schema) : make('p', { class: 'kind' }, type))
      : make('div', { class: 'answer' }, ...head));
  }
  return out;
};

const article = (method, path, operation) => {
  const parameters = (operation.parameters ?? []).map(follow);
  const inside = make('div', {}, ...(operation.description ?? '').split('\n\n').map((p) => make('p', {}, ...marked(p))));
  if (parameters.length) {
    const list = make('ul', { class: 'fields' });
    for (const p of parameters) list.append(field(`${p.name} (${p.in})`, { ...p.schema, description: p.description }, p.required, 1));
    inside.append(make('h4', {}, 'Parameters'), list);
  }
  if (operation.requestBody) inside.append(make('h4', {}, operation.requestBody.required ? 'Body' : 'Body (may be missing)'), shape(operation.requestBody.content['application/json'].schema));
  inside.append(answers(operation), tryIt(method, path, operation));
  const head = make('summary', {}, make('span', { class: `verb ${method.toLowerCase()}` }, method),
    make('h3', { class: 'path' }, path), make('span', { class: 'quiet' }, operation.summary ?? ''));
  return make('article', { id: operation.operationId }, make('details', {}, head, inside));
};

// grouped gives the operations by tag, in the order of the tags.
const grouped = () => {
  const groups = new Map((spec.tags ?? []).map((t) => [t.name, { text: t.description, rows: [] }]));
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const tag = operation.tags?.[0] ?? 'Other';
      if (!groups.has(tag)) groups.set(tag, { rows: [] });
      groups.get(tag).rows.push({ method: method.toUpperCase(), path, operation });
    }
  }
  return groups;
};

const show = () => {
  at('title').textContent = spec.info.title;
  document.title = `${spec.info.title}: ${spec.info.summary ?? ''}`;
  at('about').replaceChildren([spec.info.summary, `version ${spec.info.version}`, `OpenAPI ${spec.openapi}`].filter(Boolean).join(', '), ', ', make('a', { href: 'openapi.json' }, 'openapi.json'));
  at('text').replaceChildren(...(spec.info.description ?? '').split('\n\n').map((p) => make('p', {}, ...marked(p))));
  const list = [];
  const operations = [];
  for (const [tag, group] of grouped()) {
    if (!group.rows.length) continue;
    const links = make('ul');
    const section = make('section', { 'aria-label': tag }, make('h2', {}, tag), group.text ? make('p', { class: 'quiet' }, group.text) : null);
    for (const { method, path, operation } of group.rows) {
      links.append(make('li', { 'data-words': `${method} ${path} ${operation.summary} ${tag}`.toLowerCase() },
        make('a', { href: `#${operation.operationId}` }, make('span', { class: `verb ${method.toLowerCase()}` }, method), make('span', { class: 'path' }, path))));
      section.append(article(method, path, operation));
    }
    list.push(make('div', {}, make('h2', {}, tag), links));
    operations.push(section);
  }
  at('list').replaceChildren(...list);
  at('operations').replaceChildren(...operations);
  unfold();
};

// unfold opens the operation that the address names.
const unfold = () => {
  const target = location.hash.length > 1 ? at(location.hash.slice(1)) : null;
  const details = target?.querySelector('details');
  if (!details) return;
  details.open = true;
  target.scrollIntoView();
  details.querySelector('summary').focus({ preventScroll: true });
};

const sift = () => {
  const words = at('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of document.querySelectorAll('#list li')) item.hidden = !words.every((w) => item.dataset.words.includes(w));
  for (const group of document.querySelectorAll('#list > div')) group.hidden = !group.querySelector('li:not([hidden])');
};

const load = async () => {
  const answer = await fetch('openapi.json', { headers: headers(), cache: 'no-cache' });
  if (answer.status === 401) {
    at('token').hidden = false;
    at('about').textContent = 'This server needs a token, also for its description.';
    at('token-says').textContent = sessionStorage.getItem(tokenKey) ? 'That token is not one of the server\'s.' : '';
    sessionStorage.removeItem(tokenKey);
    at('bearer').focus();
    return;
  }
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  spec = await answer.json();
  at('token').hidden = !spec.components?.securitySchemes;
  at('token-says').textContent = sessionStorage.getItem(tokenKey) ? 'Kept until this tab is closed.' : '';
  show();
};

const start = () => load().catch((problem) => {
  at('about').textContent = `openapi.json cannot be read: ${problem.message}. Reload the page to try again.`;
  at('about').className = 'bad';
});

at('token').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(tokenKey, at('bearer').value.trim());
  at('bearer').value = '';
  start().then(() => spec && at('main').focus());
});
at('filter').addEventListener('input', sift);
addEventListener('hashchange', unfold);
addEventListener('keydown', (event) => {
  const writing = event.target.closest?.('input, textarea, select');
  if (event.key === '/' && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    at('filter').focus();
  }
});
start();
