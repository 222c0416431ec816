import { watchFiles } from '../helpers/file-faults.ts';
import { loadSite } from '../helpers/load-site.ts';

// Loads a site, and kills its own process after that operation on a file of the mirror.
const [root = '', folder = '', baseUrl = '', apiKey = '', last = ''] = process.argv.slice(2);
watchFiles(folder, {
  after({ index }) {
    if (index === Number(last)) process.kill(process.pid, 'SIGKILL');
  },
});
const { failure } = await loadSite({ root }, { baseUrl, apiKey });
if (failure) throw failure;
