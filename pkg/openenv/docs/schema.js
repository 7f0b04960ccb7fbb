// Elements, and schemas as nested lists of fields. Texts go in as text: nothing of the document is read as HTML.
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
};

// marked gives a text with its `code` as code.
const marked = (text) => text.split('`').map((part, i) => (i % 2 ? make('code', {}, part) : part));

let spec = null;

// follow finds what a reference points to.
const follow = (thing) => {
  for (let hops = 0; thing && thing.$ref && hops < 8; hops++) {
    const found = thing.$ref.replace(/^#\//, '').split('/').reduce((at, key) => at && at[key], spec);
    thing = { ...found, ...(thing.description ? { description: thing.description } : {}) };
  }
  return thing || {};
};

const isNull = (s) => s.type === 'null';

// forms are the alternatives of a schema without null.
const forms = (s) => (s.anyOf ? s.anyOf.map(follow).filter((f) => !isNull(f)) : [s]);

const limits = (s) => {
  const low = s.minimum ?? s.exclusiveMinimum;
  const high = s.maximum ?? s.exclusiveMaximum;
  const out = [];
  if (low !== undefined && high !== undefined) out.push(`${low} to ${high}`);
  else if (low !== undefined) out.push(s.minimum === undefined ? `more than ${low}` : `${low} and more`);
  else if (high !== undefined) out.push(`at most ${high}`);
  if (s.maxLength !== undefined) out.push(`at most ${s.maxLength} characters`);
  if (s.pattern !== undefined) out.push(s.pattern.length > 40 ? 'a number as text' : `like ${s.pattern}`);
  return out.length ? ', ' + out.join(', ') : '';
};

// kind says in words what a schema allows.
const kind = (given) => {
  if (given === true) return 'anything';
  const s = follow(given);
  if (s.anyOf) {
    const list = s.anyOf.map((f) => kind(f));
    return [...new Set(list)].join(' | ');
  }
  if (s.const !== undefined) return JSON.stringify(s.const);
  if (s.enum) return s.enum.map((v) => JSON.stringify(v)).join(' | ');
  if (s.type === 'array') return `list of ${kind(s.items ?? true)}`;
  if (s.type === 'object' && !s.properties && s.additionalProperties && s.additionalProperties !== true) return `object of ${kind(s.additionalProperties)}`;
  if (s.type === undefined) return 'anything';
  return s.type + limits(s);
};

// inner finds the object whose fields are to be listed below a field.
const inner = (given) => {
  for (const f of forms(follow(given))) {
    if (f.properties && Object.keys(f.properties).length) return f;
    if (f.type === 'array' && f.items && f.items !== true) return inner(f.items);
  }
  return null;
};

const field = (name, given, required, depth) => {
  const s = follow(given);
  const line = [make('span', { class: 'name' }, name), ' ', make('span', { class: 'kind' }, kind(given))];
  if (required) line.push(' ', make('span', { class: 'must' }, 'required'));
  const text = s.description ? make('p', { class: 'quiet' }, ...marked(s.description)) : null;
  const below = inner(given);
  if (!below || depth > 6) return make('li', {}, ...line, text);
  return make('li', {}, make('details', { open: depth < 1 }, make('summary', {}, ...line), text, fields(below, depth + 1)));
};

// fields lists the fields of an object.
const fields = (s, depth = 0) => {
  const must = new Set(s.required ?? []);
  const list = make('ul', { class: 'fields' });
  for (const [name, value] of Object.entries(s.properties ?? {})) list.append(field(name, value, must.has(name), depth));
  return list;
};

// shape shows a schema that is not a field of anything.
const shape = (given) => {
  const below = inner(given);
  return make('div', {}, make('p', { class: 'kind' }, below && follow(given).type !== 'array' ? follow(given).title ?? 'object' : kind(given)), below ? fields(below) : null);
};
