import type { ArticlesOptions } from './options.ts';

/** What the integration hands to the loader. */
export interface Handover {
  options: ArticlesOptions;
  /** Vite's mode, which the loader is not told. */
  mode: string;
  command: 'build' | 'dev';
}

const key = Symbol.for('astro-articles.handover');

/**
 * Integration and loader live in two copies of this module whenever Vite bundles the content config,
 * so module state does not reach across; a registered symbol does. Sites are told apart by root.
 */
export function handOver(root: URL, handover: Handover): void {
  handovers().set(root.href, handover);
}

export function handedOver(root: URL): Handover | undefined {
  return handovers().get(root.href);
}

function handovers(): Map<string, Handover> {
  const holder = globalThis as { [key]?: Map<string, Handover> };
  holder[key] ??= new Map();
  return holder[key];
}
