import type { MethodDefinition } from '@grpc/grpc-js';
import {
  ReservationServiceDefinition as Reservation,
  ReserveRequest,
  ReserveResponse,
} from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';
import { encode, pathOf } from '#libs/rpc/definition.js';

/** Reserve as plain grpc-js knows a method, for servers without any of our libs around them. */
export const reserveMethod: MethodDefinition<ReserveRequest, ReserveResponse> = {
  path: pathOf(Reservation, Reservation.methods.reserve),
  requestStream: false,
  responseStream: false,
  requestSerialize: (request) => encode(ReserveRequest, request),
  requestDeserialize: (bytes) => ReserveRequest.decode(bytes),
  responseSerialize: (response) => encode(ReserveResponse, response),
  responseDeserialize: (bytes) => ReserveResponse.decode(bytes),
};
