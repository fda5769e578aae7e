// Writes schema/fleet.schema.json from the schema that the loader uses.
import { writeFileSync } from 'node:fs';
import { configJsonSchema } from '../src/config/config-json-schema.ts';

const file = new URL('../schema/fleet.schema.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
