import type {
	PublicKeyCredentialCreationOptionsJSON,
	PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { useEffect, useState } from 'react'
import { useSubmit } from 'react-router'

type Asked =
	| { kind: 'make'; options: PublicKeyCredentialCreationOptionsJSON }
	| { kind: 'sign'; options: PublicKeyCredentialRequestOptionsJSON }

interface PasskeyPromptProps {
	asked: Asked
	/** The address that the response is posted to. */
	action: string
	/** Additional form fields. */
	fields: Record<string, string>
}

/** Prompts for a passkey as soon as it is mounted, and submits the browser's response. Shows an error if that fails. */
export function PasskeyPrompt({ asked, action, fields }: PasskeyPromptProps) {
	const submit = useSubmit()
	const [problem, setProblem] = useState('')
	const { challenge } = asked.options
	// biome-ignore lint/correctness/useExhaustiveDependencies: a challenge is answered once, whatever else is rendered again.
	useEffect(() => {
		let isGone = false
		setProblem('')
		askBrowser(asked).then(
			(response) => {
				if (!isGone) void submit({ ...fields, response: JSON.stringify(response) }, { method: 'post', action })
			},
			() => {
				if (!isGone) setProblem('Your device did not offer a passkey. Press the button to try again.')
			},
		)
		return () => {
			isGone = true
		}
	}, [challenge])
	return (
		<>
			<p className="mt-6 hidden text-red noscript:block">
				Your browser needs JavaScript to use a passkey. Allow it for this site, or use your password.
			</p>
			<p className="mt-6 text-ink-2 noscript:hidden" role="status">
				{problem || 'Follow what your browser asks you to do.'}
			</p>
		</>
	)
}

async function askBrowser(asked: Asked) {
	const { startAuthentication, startRegistration } = await import('@simplewebauthn/browser')
	return asked.kind === 'make'
		? startRegistration({ optionsJSON: asked.options })
		: startAuthentication({ optionsJSON: asked.options })
}
