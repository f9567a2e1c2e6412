import { createHash } from 'node:crypto'
import stylesheet from '~/app.css?url'
import { vapidKeys } from '~/features/notifications/push/vapid.server.ts'
import { escapeHtml } from '~/lib/html.ts'
import script from '~/offline/offline-page.js?raw'
import worker from '~/offline/worker.js?raw'
import { siteAppearance } from '~/platform/appearance/appearance.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import mono from '~/ui/fonts/quad-mono.woff2?url'
import letters from '~/ui/fonts/schibsted-grotesk-letters.woff2?url'
import signs from '~/ui/fonts/schibsted-grotesk-signs.woff2?url'

/** The offline page that the service worker stores. It is the same for every reader; its script fills it. */
export function offlinePage(): string {
	const name = escapeHtml(siteName())
	const siteStyle = siteAppearance().style ? '<link rel="stylesheet" href="/appearance.css?offline">' : ''
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Offline · ${name}</title>
<link rel="stylesheet" href="${stylesheet}?offline">
${siteStyle}
</head>
<body class="offline flex min-h-dvh flex-col">
<a class="btn btn-primary skip-link" href="#main">Skip to content</a>
<header class="border-b border-line">
<div class="mx-auto flex h-14 max-w-page items-center gap-4 px-4 sm:px-6 lg:gap-8">
<a class="flex min-w-0 items-center gap-2 text-[1.0625rem] leading-6 font-bold tracking-tight" href="/">
<svg class="mark" viewBox="0 0 20 20" aria-hidden="true"><path d="M17 9V3H3v14h7" fill="none" stroke="currentColor" stroke-width="2"/><path class="fill-ivy" d="M13 12h5v6h-5z"/></svg>
<span class="truncate">${name}</span>
</a>
<nav class="ml-auto flex flex-none gap-4 self-stretch sm:ml-0 lg:gap-6" aria-label="Main">
<a class="nav-link max-sm:hidden" href="/">Home</a>
<a class="nav-link max-sm:hidden" href="/find-dev">Community</a>
<a class="nav-link" href="/forum">Forum</a>
</nav>
</div>
</header>
<div class="offline-bar" role="status" data-for="copy">
<p class="mx-auto flex w-full max-w-page flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2 sm:px-6">
<span><span data-part="state">Offline.</span> <span data-part="age"></span></span>
<a class="link" href="" data-part="again">Try again</a>
</p>
</div>
<main id="main" tabindex="-1" class="mx-auto w-full max-w-page px-4 pb-16 outline-none sm:px-6">
<div class="pt-4 md:pt-6" data-for="copy" data-part="copy"></div>
<div class="max-w-[44rem] py-12 md:py-20" data-for="list">
<h1 class="text-3xl font-bold text-balance">You are offline.</h1>
<p class="mt-4 max-w-[52ch] text-lg text-pretty text-ink-2">This page opens by itself when the connection is back.</p>
<p class="mt-6"><a class="btn btn-primary" href="">Try again</a></p>
<section class="mt-12" aria-labelledby="questions" data-part="questions" hidden>
<div class="rule-head"><h2 id="questions">Saved questions</h2></div><ul></ul>
</section>
<section class="mt-10" aria-labelledby="conversations" data-part="conversations" hidden>
<div class="rule-head"><h2 id="conversations">Saved conversations</h2></div><ul></ul>
</section>
<p class="mt-12 text-ink-3" data-part="none" hidden>No pages are saved in this browser. Questions that you open are, for 7 days.</p>
<p class="mt-8"><button class="btn btn-outline" type="button" data-part="remove" hidden>Delete saved pages</button></p>
</div>
</main>
<noscript><p class="mx-auto p-6">You are offline.</p></noscript>
<script>${script}</script>
</body>
</html>
`
}

/** Only the page's own script may run, nothing in a saved copy; forms in a copy cannot be submitted. */
export function offlineCsp(): string {
	const hash = createHash('sha256').update(script).digest('base64')
	return [
		"default-src 'none'",
		`script-src 'sha256-${hash}'`,
		"style-src 'self'",
		"img-src 'self' data:",
		"font-src 'self'",
		"connect-src 'self'",
		"form-action 'none'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
	].join('; ')
}

/**
 * The service worker of this build, with the site's key for pushes. Its text changes with the offline page and its files, so that
 * browsers detect the new version.
 */
export function serviceWorker(): string {
	const { style } = siteAppearance()
	const files = ['/offline', stylesheet, ...(style ? ['/appearance.css'] : []), letters, signs, mono]
	const version = createHash('sha256')
		.update(offlinePage() + (style?.css ?? ''))
		.digest('base64url')
		.slice(0, 12)
	return `const SHELL = ${JSON.stringify({ version, files, pushKey: vapidKeys().publicKey })}\n${worker}`
}
