import { useEffect, useState } from 'react'
import { FormError } from '~/ui/form-error.tsx'
import { Prose } from '~/ui/prose.tsx'
import { Skeleton } from '~/ui/skeleton.tsx'

const failed = 'Something went wrong. Try again!'

/** A text as its page will show it. The server makes it, in the same way as when it is published. */
export function PreviewPane({ description, tags }: { description: string; tags: string }) {
	const [shown, setShown] = useState<{ html?: string; message?: string }>({})
	const empty = description.trim() === ''
	useEffect(() => {
		if (empty) return
		const abort = new AbortController()
		preview(description, tags, abort.signal).then(setShown, (error) => {
			if (!abort.signal.aborted) setShown({ message: error instanceof Refusal ? error.message : failed })
		})
		return () => abort.abort()
	}, [description, tags, empty])
	if (empty) return <p className="text-ink-3">Nothing to preview yet.</p>
	if (shown.message) return <FormError>{shown.message}</FormError>
	if (shown.html === undefined) return <Skeleton className="after-150ms h-5 w-3/4" />
	return <Prose html={shown.html} />
}

class Refusal extends Error {}

async function preview(description: string, tags: string, signal: AbortSignal): Promise<{ html: string }> {
	const body = new URLSearchParams({ description, tags })
	const response = await fetch('/forum/preview', { method: 'POST', body, signal })
	const answer = (await response.json()) as { html: string; message?: string }
	if (!response.ok) throw new Refusal(answer.message ?? failed)
	return answer
}
