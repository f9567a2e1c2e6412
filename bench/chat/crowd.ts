import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Command, OpenResult, ReconnectResult, WriteResult } from './crowd-process.ts'
import type { Member } from './site.ts'

type Answer = { ok: true; value: unknown } | { ok: false; reason: string }

/** Members with an open tab each, in a child process. */
export class Crowd {
	private readonly child: ChildProcess
	private readonly gone: Promise<never>
	private last: Promise<unknown> = Promise.resolve()

	constructor() {
		this.child = fork(new URL('./crowd-process.ts', import.meta.url), { serialization: 'advanced' })
		this.gone = once(this.child, 'exit').then(() => {
			throw new Error('A process with tabs ended.')
		})
		this.gone.catch(() => {})
	}

	/** Opens a tab for each member, some at a time. @param from the local address to connect from */
	open(members: Member[], port: number, from = '127.0.0.2'): Promise<OpenResult> {
		return this.tell({ do: 'open', members, port, from }) as Promise<OpenResult>
	}

	/** Lets them write to each other, evenly distributed. @param rate messages per second in total */
	write({ rate, seconds }: { rate: number; seconds: number }): Promise<WriteResult> {
		return this.tell({ do: 'write', rate, seconds }) as Promise<WriteResult>
	}

	/** Cuts all connections at once; each tab reconnects after a random delay between these two, in milliseconds, and catches up. */
	cut(after: [number, number]): Promise<ReconnectResult> {
		return this.tell({ do: 'cut', after }) as Promise<ReconnectResult>
	}

	async end(): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return
		this.child.kill()
		await once(this.child, 'exit')
	}

	private tell(command: Command): Promise<unknown> {
		this.last = this.last.then(async () => {
			this.child.send(command)
			const [answer] = (await Promise.race([once(this.child, 'message'), this.gone])) as [Answer]
			if (!answer.ok) throw new Error(answer.reason)
			return answer.value
		})
		return this.last
	}
}
