import { useEffect, useState } from 'react'

/**
 * The hidden fields of a proof of work: the challenge, and the answer once a worker has found it. Without scripts the answer stays
 * empty, and the server asks to wait instead.
 * @param props.onState called with the worker's state, so that the button can wait for it
 */
export default function ProofField({
	challenge,
	onState,
}: {
	challenge: string
	onState: (isWorking: boolean) => void
}) {
	const [answer, setAnswer] = useState('')
	useEffect(() => {
		setAnswer('')
		onState(true)
		const worker = new Worker(new URL('./proof-worker.ts', import.meta.url), { type: 'module' })
		const done = (found: string) => {
			setAnswer(found)
			onState(false)
		}
		worker.addEventListener('message', ({ data }: MessageEvent<string>) => done(data))
		// A browser that cannot run workers is treated like one without scripts.
		worker.addEventListener('error', () => done(''))
		worker.postMessage(challenge)
		return () => worker.terminate()
	}, [challenge, onState])
	return <input type="hidden" name="proof" value={answer} />
}
