import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import sharp from 'sharp';
import type { Site } from '../helpers/site.ts';
import type { Article, Picture } from './articles.ts';

/** The numbers of requests to the API and for pictures. */
export interface Counts {
  api: number;
  files: number;
}

/** A kind of server, and how it is started. */
export interface Service {
  /** Its heading in the page about translations. */
  name: string;
  /** The programs that it needs, and the packages of Debian that have them. */
  programs: Record<string, string>;
  /** Matches the paths of uploaded pictures. */
  uploads: RegExp;
  /** The most requests of a build without changes, for each collection. */
  unchanged: Counts;
  start(place: Place): Promise<Server>;
}

/** Where a server is started. */
export interface Place {
  /** An empty folder. */
  folder: string;
  /** The folder of its packages of npm. */
  packages: string;
  /** The port of the server. */
  port: number;
  /** The URL of the server, behind the proxy that counts requests. */
  url: string;
}

/** A running server. */
export interface Server {
  version: string;
  /** The API key of the site. */
  key: string;
  /** The URL of the PDF to which each text links. */
  document: string;
  /** Lets readers without the key read files. @default they may */
  publishFiles?(): Promise<void>;
  /** Writes an article, or changes it. */
  save(article: Article): Promise<void>;
  remove(article: Article): Promise<void>;
  /** Returns a title as the server publishes it. @default as written */
  titleOf?(title: string): string;
  /** Whether articles have the date that was written, rather than the time of their creation. */
  hasOwnDates: boolean;
  /** Whether articles have tags. @default false */
  hasTags?: boolean;
  /** The name of the author of all articles, who is another document. @default none */
  author?: string;
  /** Replaces the file of an uploaded picture, whose id stays the same. @default its file is not replaced */
  replaceFile?(picture: Picture, file: Picture): Promise<void>;
  /** Tries what only this server has, with its site and its articles, and returns what is wrong. @default nothing */
  tryMore?(site: Site, articles: readonly Article[], build: Build): Promise<string[]>;
  /** Returns the slug that the server makes of a written one. @default as written */
  slugOf?(slug: string): string;
  /** How German versions are written and requested. @default there are none */
  german?: { query: Readonly<Record<string, string>>; save(article: Article): Promise<void> };
}

/** Builds the site of a server, and returns the output. */
export type Build = () => Promise<string>;

type Body = object | FormData | Uint8Array;

/** Returns a function that sends requests to an API, and parses the JSON of its responses. */
export function createApi(base: string, headers: Record<string, string> = {}) {
  return async function request<T>(
    method: string,
    path: string,
    body?: Body,
    more: Record<string, string> = {},
  ): Promise<T> {
    const isJson = body && !(body instanceof FormData) && !(body instanceof Uint8Array);
    const response = await fetch(base + path, {
      method,
      headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }), ...more },
      ...(body && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    }
    return text === '' ? (undefined as T) : JSON.parse(text);
  };
}

/** Reads a picture of the fixtures. */
export function readPicture(name: string): Promise<Buffer<ArrayBuffer>> {
  return readFile(new URL(`../../fixtures/covers/${basename(name)}`, import.meta.url));
}

/** Returns a form that uploads a picture of the fixtures. */
export async function pictureForm(name: string, field = 'file'): Promise<FormData> {
  const form = new FormData();
  form.append(field, new Blob([await readPicture(name)], { type: typeOf(name) }), name);
  return form;
}

/** The PDF to which each text links. */
export const pdf = {
  name: 'tide-table.pdf',
  type: 'application/pdf',
  bytes: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'),
};

/** Returns a form that uploads the PDF. */
export function pdfForm(field = 'file'): FormData {
  const form = new FormData();
  form.append(field, new Blob([pdf.bytes], { type: pdf.type }), pdf.name);
  return form;
}

/** Returns the size of a picture of the fixtures, in pixels. */
export async function imageSize(name: string): Promise<{ width: number; height: number }> {
  const { width, height } = await sharp(await readPicture(name)).metadata();
  return { width, height };
}

/** Returns the media type of a picture by its name. */
export function typeOf(picture: string): string {
  return `image/${picture.replace(/^.*\./, '').replace('jpg', 'jpeg')}`;
}

/** Returns a random key or password. */
export function randomKey(): string {
  return randomBytes(24).toString('hex');
}

/** Returns a function that calls `make` once for each key, and returns the same promise again later. */
export function once<Value>(
  make: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const made = new Map<string, Promise<Value>>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}
