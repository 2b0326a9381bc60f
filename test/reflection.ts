import { readFileSync } from 'node:fs';
import { createFileRegistry, type DescService, fromBinary } from '@bufbuild/protobuf';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials } from '@grpc/grpc-js';

const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
/** Fields of ServerReflectionRequest and of its response. */
const listServices = 7;
const listed = 6;

/** What the build knows of all services, as the servers tell it by reflection. */
export function contracts(): DescService[] {
  const bytes = readFileSync(new URL('../holdfast.binpb', import.meta.url));
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
  return [...registry].filter((one) => one.kind === 'service');
}

/** The names of the services that a server says it has, in order of the alphabet. Rejects as the server does. */
export async function servicesOf(address: string): Promise<string[]> {
  const client = new Client(address, credentials.createInsecure());
  const asIs = (bytes: Buffer): Buffer => bytes;
  const stream = client.makeBidiStreamRequest(path, asIs, asIs, { deadline: Date.now() + 5_000 });
  try {
    const answer = new Promise<Buffer>((resolve, reject) => stream.once('data', resolve).once('error', reject));
    stream.write(Buffer.from(new BinaryWriter().tag(listServices, 2).string('').finish()));
    const [list] = fieldsOf(await answer, listed);
    const services = fieldsOf(list ?? Buffer.alloc(0), 1);
    return services.map((service) => fieldsOf(service, 1).join('')).sort();
  } finally {
    stream.end();
    client.close();
  }
}

/** The bytes of every occurrence of a field. */
function fieldsOf(message: Uint8Array, field: number): Buffer[] {
  const reader = new BinaryReader(message);
  const found: Buffer[] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === field) found.push(Buffer.from(reader.bytes()));
    else reader.skip(wireType);
  }
  return found;
}
