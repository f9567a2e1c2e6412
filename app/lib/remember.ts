const memory = globalThis as typeof globalThis & { __remembered?: Map<string, unknown> }

/** The one value of this name in the process, made on first use; it survives hot reload of the module that asks. */
export function remember<Value>(name: string, make: () => Value): Value {
	memory.__remembered ??= new Map()
	if (!memory.__remembered.has(name)) memory.__remembered.set(name, make())
	return memory.__remembered.get(name) as Value
}
