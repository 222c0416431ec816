/** Matches a list of Quill, whose items have no lists inside. */
const list = /<ol>(<li [^<>]*data-list=.*?)<\/ol>/gs;
const item = /^<li ([^<>]*)>(.*)/s;
const code = /<div [^<>]*ql-code-block-container"[^<>]*>(.*?<\/div>)<\/div>/gs;

/**
 * Returns HTML that the editor Quill has stored, with `<ul>` and `<ol>` in one another, and with `<pre>`. Quill writes one
 * flat list, and a `<div>` for each line of code, which look right with its own styles only. What its `getSemanticHTML()`
 * returns needs no change.
 */
export function htmlOfQuill(html: string): string {
  return html
    .replace(code, (_, lines) => `<pre>${lines}</pre>`)
    .replace(list, (_, items) => nestItems(items));
}

/** Returns lists of items, by their kind and level. */
function nestItems(items: string): string {
  let html = '';
  const open: { tag: string; level: number }[] = [];
  const close = () => `</li></${open.pop()?.tag}>`;
  for (const text of items.split('</li>').slice(0, -1)) {
    const [, attributes = '', content = text] = item.exec(text) ?? [];
    const tag = attributes.includes('data-list="ordered"') ? 'ol' : 'ul';
    const level = Number(/ql-indent-(\d)/.exec(attributes)?.[1] ?? 0);
    const isBeyond = (each = { tag, level: -1 }) =>
      each.level > level || (each.level === level && each.tag !== tag);
    while (isBeyond(open.at(-1))) html += close();
    if (open.at(-1)?.level === level) html += '</li>';
    else {
      html += `<${tag}>`;
      open.push({ tag, level });
    }
    // The attribute of a task says whether it is done: a notice of the load names it.
    const kept = attributes.replace(/data-list="(?:ordered|bullet)" ?/, '').trim();
    html += `${kept ? `<li ${kept}>` : '<li>'}${content}`;
  }
  while (open.length > 0) html += close();
  return html;
}
