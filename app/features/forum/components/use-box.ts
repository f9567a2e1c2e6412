import { useEffect, useRef } from 'react'
import { useNavigation } from 'react-router'
import { useDiscussion } from './discussion-context.ts'

/**
 * What a text box of the discussion does besides being a form: it keeps what is typed in this browser until it is sent.
 * @param box names the box on its page and tells its sending from that of the others
 * @param onSent runs after the text was taken
 */
export function useBox(box: string, onSent: () => void) {
	const { url, refusal } = useDiscussion()
	const navigation = useNavigation()
	const area = useRef<HTMLTextAreaElement>(null)
	const sent = useRef(false)
	const key = `draft ${url} ${box}`
	const busy = navigation.formData?.get('box') === box
	const refused = refusal?.values.box === box ? refusal : null

	useEffect(() => {
		const kept = read(key)
		if (kept && area.current && area.current.value === area.current.defaultValue) area.current.value = kept
	}, [key])

	useEffect(() => {
		if (busy) sent.current = true
		if (busy || !sent.current || navigation.state !== 'idle') return
		sent.current = false
		if (refused) return
		write(key, '')
		if (area.current) area.current.value = area.current.defaultValue
		onSent()
	}, [busy, navigation.state, refused, key, onSent])

	return { area, busy, refused, keep: () => write(key, area.current?.value ?? '') }
}

// A browser may forbid the store; the text is then kept no longer than its box.
function read(key: string): string | null {
	try {
		return localStorage.getItem(key)
	} catch {
		return null
	}
}

function write(key: string, text: string): void {
	try {
		if (text) localStorage.setItem(key, text)
		else localStorage.removeItem(key)
	} catch {
		// see above
	}
}
