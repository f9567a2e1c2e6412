import type { ServerEvents } from '~/platform/realtime/events.ts'
import type { Live } from '~/platform/realtime/live.ts'
import type { ChatClient } from './chat-client.ts'

/** Has the chat hear what this socket says of conversations. @returns ends that */
export function hear(socket: Live, client: ChatClient): () => void {
	const ends = [
		on(socket, 'chat:message', ({ with: peer, message }) => client.hear(peer, message)),
		on(socket, 'chat:marks', ({ with: peer, marks }) => client.hearMarks(peer, marks)),
		on(socket, 'chat:typing', ({ from }) => client.hearTyping(from)),
		on(socket, 'chat:state', ({ with: peer, state }) => client.hearState(peer, state)),
	]
	return () => {
		for (const end of ends) end()
	}
}

function on<Name extends keyof ServerEvents>(socket: Live, name: Name, handle: ServerEvents[Name]): () => void {
	// The socket's types cannot follow that name and handler belong together.
	socket.on(name, handle as never)
	return () => socket.off(name, handle as never)
}
