import { systemClock } from '../../../src/shared/clock.ts';
import { syncOnce } from '../../helpers/sync.ts';

const [folder = '', baseUrl = '', apiKey = ''] = process.argv.slice(2);
await syncOnce(folder, { baseUrl, apiKey, timeout: 10_000 }, { clock: systemClock });
