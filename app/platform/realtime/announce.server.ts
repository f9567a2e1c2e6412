import type { ServerEvents } from './events.ts'
import { io } from './io.server.ts'

/**
 * Tells every tab in a room what happened. Call it after the commit: the socket delivers, it does not decide.
 * @param room `forum`, `query:{id}`, `user:{id}`, `presence:{username}` or `everybody`
 */
export function announce<Name extends keyof ServerEvents>(
	room: string,
	name: Name,
	...event: Parameters<ServerEvents[Name]>
): void {
	io.to(room).emit(name, ...event)
}
