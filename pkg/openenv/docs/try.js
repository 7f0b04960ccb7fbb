// The form below each operation that sends a request. A session that an answer names goes into the next request.
const tokenKey = 'triage-docs-token';

const headers = (more = {}) => {
  const token = sessionStorage.getItem(tokenKey);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
};

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// curl writes a request as a command line. A token stays out of it.
const curl = (method, url, sent, body) => {
  const out = ['curl', '-sS'];
  if (method !== 'GET') out.push('-X', method);
  for (const [name, value] of Object.entries(sent)) out.push('-H', name === 'Authorization' ? '"Authorization: Bearer $TOKEN"' : quote(`${name}: ${value}`));
  if (body !== undefined) out.push('-d', quote(body));
  return [...out, quote(url.href)].join(' ');
};

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

// request builds what a form asks for.
const request = (form, method, path, parameters, body) => {
  const sent = {};
  const query = new URLSearchParams();
  let where = path.slice(1);
  for (const p of parameters) {
    const value = form.elements[p.name].value;
    if (p.in === 'path') where = where.replace(`{${p.name}}`, encodeURIComponent(value));
    else if (value !== '' && p.in === 'query') query.set(p.name, value);
    else if (value !== '' && p.in === 'header') sent[p.name] = value;
  }
  const text = body ? form.elements.body.value : undefined;
  if (body) sent['Content-Type'] = 'application/json';
  const url = new URL(where, location.href);
  url.search = query.toString();
  return { url, options: { method, headers: headers(sent), body: text === '' ? undefined : text, cache: 'no-store' } };
};

const remember = (answer) => {
  const session = answer.headers.get('X-Triage-Session');
  if (!session) return;
  for (const input of document.querySelectorAll('input[name="X-Triage-Session"]')) input.value = session;
};

const send = async (form, says, out, ask) => {
  const button = form.querySelector('button');
  button.disabled = true;
  says.className = 'quiet';
  says.textContent = 'Sending …';
  out.hidden = true;
  const { url, options } = ask();
  try {
    const answer = await fetch(url, options);
    const text = await answer.text();
    remember(answer);
    says.textContent = `Status ${answer.status} ${answer.statusText}`.trim();
    if (!answer.ok) says.className = 'bad';
    out.textContent = `${curl(options.method, url, options.headers, options.body)}\n\n${pretty(text)}`;
    out.hidden = false;
  } catch (problem) {
    says.className = 'bad';
    says.textContent = `No answer from ${url.pathname}: ${problem.message}`;
  }
  button.disabled = false;
};

// tryIt makes the form of an operation.
const tryIt = (method, path, operation) => {
  const id = operation.operationId;
  const parameters = (operation.parameters ?? []).map(follow);
  const body = operation.requestBody;
  const form = make('form', { class: 'try', 'aria-label': `Try ${method} ${path}` }, make('h4', {}, 'Try it'));
  for (const p of parameters) {
    const value = p.schema?.enum?.[0] ?? '';
    form.append(make('label', { for: `${id}-${p.name}` }, `${p.name} (${p.in})`),
      make('input', { id: `${id}-${p.name}`, name: p.name, value, required: Boolean(p.required), autocomplete: 'off', spellcheck: 'false' }));
  }
  if (body) {
    const area = make('textarea', { id: `${id}-body`, name: 'body', spellcheck: 'false' });
    area.value = JSON.stringify(body.content['application/json'].example ?? {}, null, 2);
    form.append(make('label', { for: `${id}-body` }, 'Body'), area);
  }
  const says = make('span', { class: 'quiet', role: 'status' });
  const out = make('pre', { hidden: true, tabindex: '0', 'aria-label': 'Answer' });
  form.append(make('div', { class: 'row' }, make('button', { type: 'submit' }, 'Send'), says), out);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form, says, out, () => request(form, method, path, parameters, body));
  });
  return form;
};
