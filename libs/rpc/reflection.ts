import { readFileSync } from 'node:fs';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import type { Logger } from '#libs/runtime/logger.js';

/** A FileDescriptorSet that the build puts into dist/. */
const descriptors = new URL('../../holdfast.binpb', import.meta.url);

/** Lets clients ask the server for its contracts. Without the descriptors the server runs all the same. */
export function addReflection(server: Server, services: readonly { name: string }[], logger: Logger): void {
  let bytes: Buffer;
  try {
    bytes = readFileSync(descriptors);
  } catch (error) {
    logger.warn({ err: error }, 'no reflection without descriptors');
    return;
  }
  const files = { all: { fileDescriptorProtos: filesOf(bytes) } };
  const reflection = new ReflectionService(files as unknown as ConstructorParameters<typeof ReflectionService>[0], {
    services: services.map((service) => service.name),
  });
  reflection.addToServer(server);
}

/** The files of a FileDescriptorSet, still encoded: its only field is `repeated FileDescriptorProto file = 1`. */
function filesOf(descriptorSet: Uint8Array): Buffer[] {
  const reader = new BinaryReader(descriptorSet);
  const files: Buffer[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) files.push(Buffer.from(reader.bytes()));
    else reader.skip(wireType);
  }
  return files;
}
