import { Copy, Link as LinkIcon } from 'lucide'
import { useEffect, useRef } from 'react'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { toast } from '~/shell/toast.ts'
import { Icon, iconMarkup } from '~/ui/icon.tsx'
import { Prose } from '~/ui/prose.tsx'

/** Copies an address. It needs scripts and a browser with clipboard access; before that its space is kept, so that no button moves. */
export function CopyLink({ href }: { href: string }) {
	const hydrated = useHydrated()
	if (hydrated && !canCopy()) return null
	const className = `btn btn-sm btn-ghost -ml-2.5 noscript:hidden ${hydrated ? '' : 'invisible'}`
	return (
		<button className={className} type="button" onClick={() => copy(href, 'Link copied.')}>
			<Icon of={LinkIcon} className="icon-sm" /> Copy link
		</button>
	)
}

/** A member's text, with a copy button on each code block where scripts run. */
export function RenderedText({ html, small }: { html: string; small?: boolean }) {
	const root = useRef<HTMLDivElement>(null)
	// biome-ignore lint/correctness/useExhaustiveDependencies: another text has other code blocks
	useEffect(() => {
		if (canCopy())
			for (const figure of root.current?.querySelectorAll<HTMLElement>('figure.code') ?? []) addButton(figure)
	}, [html])
	return (
		<div ref={root}>
			<Prose html={html} small={small ?? false} />
		</div>
	)
}

// The code blocks are HTML that React does not render, so their buttons cannot be React's either.
const icon = `<svg class="icon icon-sm" viewBox="0 0 24 24" aria-hidden="true">${iconMarkup(Copy)}</svg>`

function addButton(figure: HTMLElement): void {
	if (figure.querySelector('button')) return
	const head = figure.querySelector('header')
	const button = document.createElement('button')
	button.type = 'button'
	button.className = head ? 'icon-btn icon-btn-sm' : 'icon-btn icon-btn-sm absolute top-0.5 right-0.5 bg-sunken'
	button.ariaLabel = 'Copy code'
	button.innerHTML = icon
	button.addEventListener('click', () => copy(figure.querySelector('code')?.textContent ?? '', 'Code copied.'))
	;(head ?? figure).append(button)
}

function canCopy(): boolean {
	return typeof navigator.clipboard?.writeText === 'function'
}

async function copy(text: string, message: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(text)
		toast({ type: 'success', message })
	} catch {
		toast({ type: 'error', message: 'The browser did not allow copying.' })
	}
}
