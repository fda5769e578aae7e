// Writes the schemas that are made from the code: of fleet.yaml, and of the tools by which an agent speaks of itself.
import { writeFileSync } from 'node:fs';
import { configJsonSchema } from '../src/config/config-json-schema.ts';
import { selfSchemas } from '../src/operations/self-schemas.ts';

write('../schema/fleet.schema.json', configJsonSchema());
write('../src/runner/self-schemas.json', selfSchemas());

function write(file: string, schema: object): void {
  writeFileSync(new URL(file, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`);
}
