import { wordSet } from '../kept-names.ts';
import { attributeOf, isElement, type Parent, replaceNodes } from '../parse-html.ts';

/** The classes of players and buttons of Ghost and WordPress. */
const controls = wordSet(`
  kg-audio-hide kg-audio-player kg-toggle-card-icon kg-video-overlay kg-video-player-container
  lightbox-trigger`);

/** Removes controls that do nothing without a script of the editor, with texts such as "0:00". */
export function removeControls(tree: Parent): void {
  replaceNodes(tree, (node) => {
    const classes = isElement(node) ? attributeOf(node, 'class')?.split(/\s+/) : undefined;
    return classes?.some((name) => controls.has(name)) ? [] : [node];
  });
}
