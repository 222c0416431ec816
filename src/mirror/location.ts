import { join } from 'node:path';
import { hash } from '../shared/hash.ts';

export interface MirrorPlace {
  /** The folder that contains the mirrors, one for each collection and service. */
  parent: string;
  collection: string;
  /** The URL of the service. */
  source: string;
  /** The project of the service, if the site names it. */
  project?: string | undefined;
  /** The folder for files that can be made again from the mirror. */
  cacheFolder: string;
}

/** Returns the paths of a mirror. Mirrors of different services or projects never share a folder. */
export function locateMirror(place: MirrorPlace) {
  const { parent, collection, source, project, cacheFolder } = place;
  const plain = collection.replace(/[^\w-]+/g, '-');
  const parts = [source, ...(plain === collection ? [] : [collection])];
  const owner = project === undefined ? parts.join(' ') : JSON.stringify([...parts, project]);
  const key = hash(owner).slice(0, 12);
  const name = `${plain}-${key}`;
  const folder = join(parent, name);
  return {
    folder,
    indexFile: join(folder, 'index.json'),
    articles: join(folder, 'articles'),
    images: join(folder, 'images'),
    renderings: join(cacheFolder, name, 'rendered'),
    verifiedFile: join(cacheFolder, name, 'verified.json'),
  };
}
