import type { MethodDefinition } from '@grpc/grpc-js';
import { PlaceHoldsItem, PlaceHoldsResult } from '#libs/contracts/gen/holdfast/inventory/v1/inventory_service.js';
import { encode } from '#libs/rpc/definition.js';

/** What the claims stream does for a batch, as a unary call that writes one order. */
export const createOrderMethod: MethodDefinition<PlaceHoldsItem, PlaceHoldsResult> = {
  path: '/unary.OrderService/CreateOrder',
  requestStream: false,
  responseStream: false,
  requestSerialize: (request) => encode(PlaceHoldsItem, request),
  requestDeserialize: (bytes) => PlaceHoldsItem.decode(bytes),
  responseSerialize: (response) => encode(PlaceHoldsResult, response),
  responseDeserialize: (bytes) => PlaceHoldsResult.decode(bytes),
};
