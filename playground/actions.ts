import type { AstroIntegration } from 'astro';
import { scenes } from './src/service.ts';

const page = '/behind-the-scenes/';

/** The actions of the page "Behind the scenes" on the dev server, which change the fixture service. */
export function actions(): AstroIntegration {
  return {
    name: 'actions',
    hooks: {
      'astro:server:setup': ({ server }) => {
        server.middlewares.use((request, response, next) => {
          const [, action] = request.url?.match(/^\/behind-the-scenes\/do\/(\w+)\/$/) ?? [];
          if (request.method !== 'POST' || !action) return next();
          run(action);
          response.writeHead(303, { location: page }).end();
        });
      },
    },
  };
}

function run(action: string): void {
  const state = scenes();
  const { service } = state;
  const [newest] = service?.articles ?? [];
  if (!service || !newest) return;
  if (action === 'edit') {
    const time = new Date().toLocaleTimeString('en', { timeZone: 'UTC' });
    const title = String(newest.title).replace(/ \(edited at .*/, '');
    service.change(newest.id, { title: `${title} (edited at ${time})` });
  }
  if (action === 'fail') {
    state.endOutage ??= service.fail({
      on: 'any',
      times: Number.POSITIVE_INFINITY,
      fault: { kind: 'status', status: 503 },
    });
  }
  if (action === 'recover') {
    state.endOutage?.();
    state.endOutage = undefined;
  }
}
