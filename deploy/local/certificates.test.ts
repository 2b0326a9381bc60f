import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InventoryServiceDefinition } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { ReservationServiceDefinition } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { loadAuthority } from '#libs/identity/authority.js';
import { inventoryOf } from '#libs/mesh/inventory-of.js';
import { faultOf } from '#libs/refusal/fault.js';
import { connect } from '#libs/rpc/client.js';
import { assert, suite } from '#libs/testing/suite.js';
import { keepCertificates } from './certificates.js';
import { importSkus } from './import-skus.js';
import { startMesh } from './mesh.js';

const test = suite('certificates of a local mesh');
let directory: string;

test.before.each(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-certificates-'));
});
test.after.each(() => rmSync(directory, { recursive: true }));

const read = (...path: string[]): string => readFileSync(join(directory, ...path), 'utf8');

test('what is there and lasts is kept; what ends within a month is made anew, by the same authority', async () => {
  await keepCertificates(directory, ['order', 'bff']);
  const [authority, order, bff] = [read('authority', 'cert.pem'), read('order', 'cert.pem'), read('bff', 'cert.pem')];
  assert.is(new X509Certificate(order).subjectAltName?.split(', ')[0], 'URI:spiffe://holdfast/order');
  const ending = await (await loadAuthority({ cert: authority, key: read('authority', 'key.pem') })).issue('order', 20);
  writeFileSync(join(directory, 'order', 'cert.pem'), ending.cert);
  writeFileSync(join(directory, 'order', 'key.pem'), ending.key);
  await keepCertificates(directory, ['order', 'bff']);
  assert.is(read('authority', 'cert.pem'), authority);
  assert.is(read('bff', 'cert.pem'), bff);
  assert.is.not(read('order', 'cert.pem'), ending.cert);
  assert.ok(new X509Certificate(read('order', 'cert.pem')).verify(new X509Certificate(authority).publicKey));
  assert.is(statSync(join(directory, 'order', 'key.pem')).mode & 0o077, 0, 'the key is for its owner alone');
});

test('in a mesh with certificates services and tools reach each other, and nobody gets in without one', async () => {
  chmodSync(directory, 0o755);
  const mesh = await startMesh({ directory, tls: true, scale: { gateway: 2 } });
  try {
    const { services, gateway } = mesh.describe();
    await importSkus(inventoryOf(mesh.describe()), [{ skuId: 'seat', storeId: 'hall', title: 'Seat', capacity: 1 }]);
    const plain = connect(InventoryServiceDefinition, services.inventory?.[0]?.grpc ?? '', {
      defaultDeadlineMs: 1_000,
    });
    assert.is(await plain.getSku({ skuId: 'seat' }).catch((error) => faultOf(error).reason), 'UNAVAILABLE');
    plain.close();
    const publicly = connect(ReservationServiceDefinition, gateway, { defaultDeadlineMs: 5_000 });
    assert.is((await publicly.getSku({ skuId: 'seat' })).sku?.title, 'Seat');
    publicly.close();
  } finally {
    await mesh.stop();
  }
});

test.run();
