import type { Metrics } from '#libs/runtime/metrics.js';
import type { Answer } from '../app/answer.js';

/** Counts reservations by what they were answered. Labels are looked up once, not for every answer. */
export function answerCounter(metrics: Metrics): (answer: Answer) => void {
  const answers = metrics.counter('reservations_total', 'Reservations answered, by outcome.', ['outcome']);
  const counters = {
    held: answers.labels({ outcome: 'held' }),
    pending: answers.labels({ outcome: 'pending' }),
    queued: answers.labels({ outcome: 'queued' }),
    refused: answers.labels({ outcome: 'refused' }),
    waiting: answers.labels({ outcome: 'waiting' }),
    replayed: answers.labels({ outcome: 'replayed' }),
    error: answers.labels({ outcome: 'error' }),
  };
  return (answer) => {
    const outcome = answer.$case === 'response' ? answer.value.outcome?.$case : undefined;
    const isReplay = answer.$case === 'response' && answer.isReplay === true;
    counters[isReplay ? 'replayed' : (outcome ?? 'error')].inc();
  };
}
