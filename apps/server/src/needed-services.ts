import { isObject, type ServiceName, type Services } from "@toolpacks/core";

/**
 * The services that a pack's factory declares in `needs`.
 *
 * @throws Error for a service that this server does not have, and for an option of a service's name, which the server passes
 */
export function neededServices(factory: object, options: unknown, services: Services): Partial<Services> {
  const needs = "needs" in factory && Array.isArray(factory.needs) ? factory.needs.map(String) : [];
  for (const name of needs) {
    if (!isService(name, services)) {
      throw new Error(`needs ${name}, which this server does not have; it has ${Object.keys(services).join(", ")}`);
    }
    if (isObject(options) && name in options) {
      throw new Error(`${name}: is passed by the server; remove the option`);
    }
  }
  return Object.fromEntries(Object.entries(services).filter(([name]) => needs.includes(name)));
}

function isService(name: string, services: Services): name is ServiceName {
  return Object.hasOwn(services, name);
}
