interface FallbackParts {
	/** Asks the server what is new. @returns whether it answered */
	ask: () => Promise<boolean>
	/** Milliseconds until it is asked again. */
	pace: () => number
	/** The server answers though the socket is away, or no longer does. */
	onChange: (on: boolean) => void
}

/**
 * What a tab does while its socket is away: it asks the server every few seconds. Where that is answered, the network merely
 * lets no socket through, and the chat goes on by HTTP; where it is not, the tab is offline.
 */
export class Fallback {
	/** Whether the chat goes on by HTTP. */
	on = false
	private readonly parts: FallbackParts
	private timer: ReturnType<typeof setTimeout> | undefined
	/** Counts starts and stops: an answer to a question of an earlier one says nothing. */
	private era = 0

	constructor(parts: FallbackParts) {
		this.parts = parts
	}

	/** The socket is away. @param wait milliseconds that it is given to come back */
	start(wait: number): void {
		this.stop()
		this.later(wait)
	}

	/** The socket is there. */
	stop(): void {
		this.era += 1
		clearTimeout(this.timer)
		this.on = false
	}

	/** Somebody looks again: asks at once, where HTTP stands in for the socket. */
	hurry(): void {
		if (!this.on) return
		clearTimeout(this.timer)
		void this.look(this.era)
	}

	private later(wait: number): void {
		const { era } = this
		this.timer = setTimeout(() => void this.look(era), wait)
	}

	private async look(era: number): Promise<void> {
		const answered = await this.parts.ask().catch(() => false)
		if (era !== this.era) return
		if (answered !== this.on) {
			this.on = answered
			this.parts.onChange(answered)
		}
		this.later(this.parts.pace())
	}
}
