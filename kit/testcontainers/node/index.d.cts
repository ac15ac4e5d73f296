import { AbstractStartedContainer, GenericContainer } from 'testcontainers';

/** A lab in a container. Worlds are reached below its one published port. */
export declare class StoaContainer extends GenericContainer {
  constructor(image: string);
  /** Sets the token of the control API; one is made unless told. */
  withToken(token: string): this;
  start(): Promise<StartedStoaContainer>;
}

export declare class StartedStoaContainer extends AbstractStartedContainer {
  readonly labUrl: string;
  readonly labToken: string;
  /** The variables by which kits and commands find the lab. */
  readonly env: Record<'STOA_LAB_URL' | 'STOA_LAB_TOKEN', string>;
}
