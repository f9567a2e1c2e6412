import { useRef, useState } from 'react'
import { toast } from '~/shell/toast.ts'

/** How a thing stands for the viewer: their vote or whether they follow, and a figure that moves with it. */
export interface Pressed<Value extends number> {
	value: Value
	count: number
}

/**
 * A button that shows at once what it will do and sends it by and by. Presses while one is on its way are sent as one;
 * what could not be sent is shown as it was, with a message.
 * @param action the address of a form, which answers scripts with the new state as JSON
 * @param known how it stood when the page was made
 */
export function usePress<Value extends number>(
	action: string,
	fields: Record<string, string | number>,
	known: Pressed<Value>,
) {
	const [made, setMade] = useState(known)
	const [settled, setSettled] = useState(known)
	const [wanted, setWanted] = useState<Value | null>(null)
	const latest = useRef<Value | null>(null)
	// A page that was made again knows better than what was answered before.
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
		try {
			while (latest.current !== null && latest.current !== sent) {
				sent = latest.current
				setSettled(await send<Value>(action, { ...fields, value: sent }))
			}
		} catch (error) {
			toast({ type: 'error', message: error instanceof Refusal ? error.message : 'Something went wrong!' })
		}
		latest.current = null
		setWanted(null)
	}
	const value = wanted ?? settled.value
	return { value, count: settled.count + value - settled.value, press }
}

/** The server said no, in words for the member. */
class Refusal extends Error {}

async function send<Value extends number>(
	action: string,
	fields: Record<string, string | number>,
): Promise<Pressed<Value>> {
	const body = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
	const response = await fetch(action, { method: 'POST', headers: { Accept: 'application/json' }, body })
	const told = (await response.json()) as Pressed<Value> & { message?: string; login?: string }
	if (response.status === 401 && told.login) location.assign(told.login)
	if (!response.ok) throw new Refusal(told.message ?? 'Something went wrong!')
	return told
}
