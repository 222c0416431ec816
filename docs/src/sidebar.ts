/** The pages of the site in their order, by their ids, in the groups of the sidebar. */
export const sidebar = [
  { label: 'Start', items: ['start', 'start/template', 'start/service', 'start/folder'] },
  {
    label: 'Basics',
    items: [
      'guides/covers',
      'guides/lists',
      'guides/fields',
      'guides/drafts-and-preview',
      'guides/publish',
      'troubleshooting',
    ],
  },
  {
    label: 'Pages',
    items: [
      'guides/article-page',
      'guides/recipes',
      'guides/embeds',
      'guides/editors',
      'guides/body-images',
      'guides/feed',
      'guides/languages',
      'guides/relations',
      'guides/local-files',
      'guides/starlight',
    ],
  },
  {
    label: 'Services',
    items: [
      'start/translate',
      'start/move',
      'guides/addresses',
      'guides/offline',
      'guides/several-sites',
    ],
  },
  {
    label: 'Many articles',
    items: [
      'guides/thousands',
      'guides/live-pages',
      'guides/incremental-builds',
      'guides/preview-links',
    ],
  },
  {
    label: 'Reference',
    items: [
      'reference/options',
      'reference/service',
      'reference/components',
      'reference/live',
      'reference/webhook',
      'reference/client',
      'reference/command-line',
      'errors',
    ],
  },
  {
    label: 'Background',
    items: ['security', 'comparison', 'contents'],
  },
];
