import GithubSlugger from 'github-slugger';
import type { Options } from 'micromark';
import { parseHtml, textOf } from '../render/parse-html.ts';
import type { Heading } from '../render/render-article.ts';
import { type Events, proseOf, smarten } from './smartypants.ts';

// Extensions with which micromark writes the same HTML as Astro's own renderer.

type HtmlExtension = NonNullable<Options['htmlExtensions']>[number];
type Handle = NonNullable<NonNullable<HtmlExtension['exit']>['data']>;
type Context = ThisParameterType<Handle>;
type Token = Parameters<Handle>[0];

const writeText: Handle = function writeText(token) {
  this.raw(this.encode(this.sliceSerialize(token)));
};

/** Passes raw HTML through, without GFM's filter of tags. */
export const rawHtml: HtmlExtension = {
  exit: { htmlFlowData: writeText, htmlTextData: writeText },
};

/** Replaces quotes, dashes and dots by typographic ones. */
export function typography(source: string, events: Events): HtmlExtension {
  const prose = proseOf(source, events);
  return {
    exit: {
      data(token) {
        const text = this.sliceSerialize(token);
        const isProse = prose.tokens.has(token);
        this.raw(this.encode(isProse ? smarten(text, token.start.offset, prose) : text));
      },
    },
  };
}

/** Gives each heading the same id as Astro does, and collects them. */
export function headingIds(headings: Heading[]): HtmlExtension {
  const slugger = new GithubSlugger();
  const write = (context: Context) => {
    const html = context.resume();
    const depth = context.getData('headingRank') ?? 1;
    const text = textOf(parseHtml(html));
    const slug = slugger.slug(text);
    headings.push({ depth, slug, text });
    context.lineEndingIfNeeded();
    context.tag(`<h${depth} id="${context.encode(slug)}">`);
    context.raw(html);
    context.tag(`</h${depth}>`);
    context.setData('headingRank');
  };
  return {
    exit: {
      atxHeadingSequence(token) {
        if (this.getData('headingRank')) return;
        this.setData('headingRank', this.sliceSerialize(token).length);
        this.buffer();
      },
      atxHeading() {
        write(this);
      },
      setextHeading() {
        write(this);
        this.setData('slurpAllLineEndings');
      },
    },
  };
}

/** Lets readers without a mouse scroll blocks of code, as Astro's highlighter does. */
export const focusableCode: HtmlExtension = {
  enter: {
    codeFenced() {
      this.lineEndingIfNeeded();
      this.tag('<pre tabindex="0"><code');
      this.setData('fencesCount', 0);
    },
    codeIndented() {
      this.lineEndingIfNeeded();
      this.tag('<pre tabindex="0"><code>');
    },
  },
};

/** Gives task lists and their items the same classes as Astro does. */
export function taskLists(events: Events): HtmlExtension {
  const tasks = tasksIn(events);
  const attribute = (token: Token, name: string) => (tasks.has(token) ? ` class="${name}"` : '');
  const list = (tag: string): Handle =>
    function enterList(token) {
      this.getData('tightStack').push(!Reflect.get(token, '_loose'));
      this.lineEndingIfNeeded();
      this.tag(`<${tag}${attribute(token, 'contains-task-list')}`);
      this.setData('expectFirstItem', true);
    };
  return {
    enter: {
      listOrdered: list('ol'),
      listUnordered: list('ul'),
      listItemMarker(token) {
        if (this.getData('expectFirstItem')) this.tag('>');
        else {
          if (this.getData('lastWasTag') && !this.getData('slurpAllLineEndings')) {
            this.lineEndingIfNeeded();
          }
          this.tag('</li>');
          this.setData('slurpAllLineEndings');
        }
        this.lineEndingIfNeeded();
        this.tag(`<li${attribute(token, 'task-list-item')}>`);
        this.setData('expectFirstItem');
        this.setData('lastWasTag');
      },
    },
  };
}

/** Finds the lists and the markers of items that have checkboxes. */
function tasksIn(events: Events): ReadonlySet<Token> {
  const tasks = new Set<Token>();
  const open: { list: Token; item?: Token }[] = [];
  for (const [kind, token] of events) {
    const type: string = token.type;
    const current = open.at(-1);
    if (type === 'listOrdered' || type === 'listUnordered') {
      if (kind === 'enter') open.push({ list: token });
      else open.pop();
    } else if (kind === 'enter' && current) {
      if (type === 'listItemMarker') current.item = token;
      if (type === 'taskListCheck' && current.item) tasks.add(current.list).add(current.item);
    }
  }
  return tasks;
}
