import { useRef, useState } from 'react'
import { toast } from '~/shell/toast.ts'

/** The viewer's state: a vote or following, and a number that changes with it. */
export interface PressState<Value extends number> {
	value: Value
	count: number
}

/**
 * A button that shows its effect at once and sends it in the background. Presses during a request are sent as one, also when that gets no
 * response, as it may have arrived. What fails last is reverted, with a message.
 * @param action the address of a form, which answers scripts with the new state as JSON
 * @param known the state when the page was rendered
 */
export function usePress<Value extends number>(
	action: string,
	fields: Record<string, string | number>,
	known: PressState<Value>,
) {
	const [made, setMade] = useState(known)
	const [settled, setSettled] = useState(known)
	const [wanted, setWanted] = useState<Value | null>(null)
	const latest = useRef<Value | null>(null)
	// A reloaded page is newer than an earlier response.
	if (made.value !== known.value || made.count !== known.count) {
		setMade(known)
		setSettled(known)
	}
	const press = async (value: Value) => {
		const underWay = latest.current !== null
		latest.current = value
		setWanted(value)
		if (underWay) return
		let sent: Value | null = null
		while (latest.current !== null && latest.current !== sent) {
			sent = latest.current
			try {
				setSettled(await send<Value>(action, { ...fields, value: sent }))
			} catch (error) {
				const isRefused = error instanceof Refusal
				if (!isRefused && latest.current !== sent) continue
				toast({ type: 'error', message: isRefused ? error.message : 'Something went wrong!' })
				break
			}
		}
		latest.current = null
		setWanted(null)
	}
	const value = wanted ?? settled.value
	return { value, count: settled.count + value - settled.value, press }
}

/** The server's error, as a message for the member. */
class Refusal extends Error {}

async function send<Value extends number>(
	action: string,
	fields: Record<string, string | number>,
): Promise<PressState<Value>> {
	const body = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
	const response = await fetch(action, { method: 'POST', headers: { Accept: 'application/json' }, body })
	const answer = (await response.json()) as PressState<Value> & { message?: string; login?: string }
	if (response.status === 401 && answer.login) location.assign(answer.login)
	if (!response.ok) throw new Refusal(answer.message ?? 'Something went wrong!')
	return answer
}
