/*
 * The script of the offline page, with which the service worker responds at any address without a network. Shows the saved copy of that
 * address, or else a list of copies, and waits for the network. saved-pages.ts describes copies.
 */

/** Seconds between retries, growing, so that a site that comes back is not flooded. */
const RETRY_PAUSES_S = [2, 4, 8, 16, 30]
const CHECK_TIMEOUT_MS = 5_000

const part = (name) => document.querySelector(`[data-part="${name}"]`)

// With a network this page is useless.
if (location.pathname === '/offline') location.replace('/')
else void start()

async function start() {
	const copies = await readCopies().catch(() => [])
	const copy = copies.find(({ path }) => path === location.pathname)
	// The cookie with the theme is HttpOnly.
	const { theme } = copy ?? copies[0] ?? {}
	if (theme) document.documentElement.dataset.theme = theme
	if (copy) await showCopy(copy)
	else showList(copies)
	document.body.dataset.shows = copy ? 'copy' : 'list'
	watchNetwork(copy ? offerPage : reloadPage)
}

/** Valid copies, newest first; deletes expired ones. */
async function readCopies() {
	const copies = []
	for (const name of await caches.keys()) {
		if (!name.startsWith('saved:')) continue
		const cache = await caches.open(name)
		for (const request of await cache.keys()) {
			const answer = await cache.match(request)
			const read = (header) => answer.headers.get(`Copy-${header}`) ?? ''
			if (Number(read('Expires-At')) < Date.now()) await cache.delete(request)
			else
				copies.push({
					path: new URL(request.url).pathname,
					kind: read('Kind'),
					title: decodeURIComponent(read('Title')),
					theme: read('Theme'),
					savedAt: Number(read('Saved-At')),
					answer,
				})
		}
	}
	return copies.sort((one, other) => other.savedAt - one.savedAt)
}

async function showCopy({ kind, title, savedAt, answer }) {
	document.title = title
	const place = part('copy')
	place.innerHTML = await answer.text()
	for (const picture of place.querySelectorAll('.avatar img')) picture.onerror = () => picture.remove()
	if (kind === 'conversation') {
		const head = document.createElement('h1')
		head.className = 'text-2xl font-bold wrap-anywhere'
		head.textContent = withoutSite(title)
		place.classList.add('max-w-[44rem]')
		place.prepend(head)
	}
	const tell = () => (part('age').textContent = `Saved ${ago(savedAt)}.`)
	tell()
	setInterval(tell, 30_000)
	document.getElementById(namedPlace())?.scrollIntoView()
}

/** The id in the address; '' where it is malformed. */
function namedPlace() {
	try {
		return decodeURIComponent(location.hash.slice(1))
	} catch {
		return ''
	}
}

function showList(copies) {
	for (const kind of ['question', 'conversation']) {
		const found = copies.filter((copy) => copy.kind === kind)
		const section = part(`${kind}s`)
		section.hidden = found.length === 0
		section.querySelector('ul').replaceChildren(...found.map(itemOf))
	}
	part('none').hidden = copies.length > 0
	part('remove').hidden = copies.length === 0
	part('remove').onclick = async () => {
		for (const name of await caches.keys()) if (name.startsWith('saved:')) await caches.delete(name)
		showList([])
	}
}

function itemOf({ path, title, savedAt }) {
	const [item, link, age] = ['li', 'a', 'span'].map((name) => document.createElement(name))
	link.href = path
	link.className = 'index-row'
	const words = document.createElement('span')
	words.className = 'min-w-0 wrap-anywhere'
	words.textContent = withoutSite(title)
	words.dir = 'auto'
	age.className = 'num flex-none'
	age.textContent = ago(savedAt)
	link.append(words, age)
	item.append(link)
	return item
}

/** Removes the site's name from the end of a title. */
function withoutSite(title) {
	return title.replace(/ · [^·]*$/, '')
}

/** The age of a time in words. @param at milliseconds since 1970 */
function ago(at) {
	const minutes = Math.floor((Date.now() - at) / 60_000)
	if (minutes < 1) return 'just now'
	if (minutes < 60) return counted(minutes, 'minute')
	if (minutes < 1_440) return counted(Math.floor(minutes / 60), 'hour')
	return counted(Math.floor(minutes / 1_440), 'day')
}

const counted = (count, unit) => `${count} ${unit}${count === 1 ? '' : 's'} ago`

/** Calls back once when the site responds: checks after pauses, when the browser is online again, and when the page becomes visible. */
function watchNetwork(onBack) {
	let timer
	let isDone = false
	// Survives a reload, in case the network is lost again.
	let tries = history.state?.tries ?? 0
	const look = async () => {
		clearTimeout(timer)
		const isBack = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) })
			.then(({ ok }) => ok)
			.catch(() => false)
		if (isDone) return
		if (!isBack) return wait()
		isDone = true
		onBack()
	}
	const wait = () => {
		clearTimeout(timer)
		timer = setTimeout(look, 1_000 * RETRY_PAUSES_S[Math.min(tries, RETRY_PAUSES_S.length - 1)])
		tries += 1
		history.replaceState({ ...history.state, tries }, '')
	}
	addEventListener('online', look)
	document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look())
	wait()
}

function reloadPage() {
	location.reload()
}

/** Offers a reload instead of interrupting a reader. */
function offerPage() {
	part('state').textContent = 'You are back online. This copy is old:'
	part('again').textContent = 'Load the current page'
}
