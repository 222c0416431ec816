import { defineCollection } from 'astro:content';
import { articlesCollection } from 'astro-articles';

export const collections = { articles: defineCollection(articlesCollection()) };
