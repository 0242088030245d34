import type { Abi, AbiParameter, AbiParameterToPrimitiveType } from 'viem'
import type { Tx } from '../../db/pool.ts'
import type { ChainBlock, Hex } from '../types.ts'
import type { ChainEvent } from './event-module.ts'

type EventItem = Extract<Abi[number], { type: 'event' }>
/** The events of an ABI, without its functions and errors: what follows is worked out for these alone. */
type EventOf<A extends Abi> = Extract<A[number], { type: 'event' }>

/** An indexed argument of dynamic type is on chain as its hash alone (`decode.ts`). */
type IsHashed<Type extends string> = Type extends 'string' | 'bytes' | 'tuple' | `${string}]` ? true : false

type ArgumentOf<Input extends AbiParameter> = Input extends {
  readonly indexed: true
  readonly type: infer Type extends string
}
  ? IsHashed<Type> extends true
    ? Hex
    : AbiParameterToPrimitiveType<Input>
  : AbiParameterToPrimitiveType<Input>

type ArgumentsOf<Item extends EventItem> = {
  readonly [Input in Item['inputs'][number] as Input['name'] & string]: ArgumentOf<Input>
}

/** An event with its arguments as the decoder gives them: viem's types, and addresses in lower case. */
export interface TypedEvent<Args extends ChainEvent['args']> extends Omit<ChainEvent, 'args'> {
  readonly args: Args
}

/** What handlers are given beside the event. */
type Context = readonly unknown[]
/** Arguments of handlers that write to the database directly. */
type Writing = readonly [tx: Tx, block: ChainBlock]

type Handler<With extends Context, Args extends ChainEvent['args']> = (
  ...given: [...With, event: TypedEvent<Args>]
) => Promise<void> | void

/** What a module does for events of these ABIs, by the event's name; those without a handler are passed over. */
export type EventHandlers<A extends Abi, With extends Context = Writing> = {
  readonly [Item in EventOf<A> as Item['name']]?: Handler<With, ArgumentsOf<Item>>
}

/** The arguments of one event of an ABI. */
export type EventArguments<A extends Abi, Name extends EventOf<A>['name']> = ArgumentsOf<
  Extract<EventOf<A>, { name: Name }>
>

/** A decoded event of which the name is known, with its arguments. */
export type NamedEvent<A extends Abi, Name extends EventOf<A>['name']> = Name extends unknown
  ? { readonly name: Name; readonly args: EventArguments<A, Name> }
  : never

/** The names that arguments of events of these ABIs have. */
export type ArgumentName<A extends Abi> = EventOf<A>['inputs'][number]['name']

/**
 * Tells which event of these ABIs one is, and so the types of its arguments, for what looks at events beside their handlers:
 * `const isEvent = eventGuard<typeof abi>()`. The event was decoded by one of the ABIs.
 */
export const eventGuard =
  <A extends Abi>() =>
  <Event extends Pick<ChainEvent, 'name' | 'args'>, Name extends EventOf<A>['name']>(
    event: Event,
    ...names: readonly Name[]
  ): event is Event & NamedEvent<A, Name> =>
    (names as readonly string[]).includes(event.name)

/** Handles an event that was decoded by one of the ABIs that its handlers are typed by. */
export function handleEvent<A extends Abi, With extends Context>(
  handlers: EventHandlers<A, With>,
  ...given: [...With, event: ChainEvent]
): Promise<void> | void {
  // The one place where the decoder's types meet the ABI's: a handler's name is its event's.
  const byName = handlers as Readonly<Record<string, Handler<With, ChainEvent['args']> | undefined>>
  const { name } = given.at(-1) as ChainEvent
  return byName[name]?.(...given)
}
