const memory = globalThis as typeof globalThis & { __remembered?: Map<string, unknown> }

/** A named singleton of the process, created on first use; it survives hot reload of the calling module. */
export function remember<Value>(name: string, make: () => Value): Value {
	memory.__remembered ??= new Map()
	if (!memory.__remembered.has(name)) memory.__remembered.set(name, make())
	return memory.__remembered.get(name) as Value
}
