'use strict';

const { randomUUID } = require('node:crypto');
const { AbstractStartedContainer, GenericContainer, Wait } = require('testcontainers');

const PORT = 8080;

/** A lab in a container. Worlds are reached below its one published port. */
class StoaContainer extends GenericContainer {
  #token = randomUUID();

  constructor(image) {
    super(image);
    this.withExposedPorts(PORT)
      .withCommand(['lab', '--listen', `0.0.0.0:${PORT}`, '--data', '/data'])
      .withWaitStrategy(Wait.forHttp('/readyz', PORT));
  }

  /** Sets the token of the control API; one is made unless told. */
  withToken(token) {
    this.#token = token;
    return this;
  }

  async start() {
    this.withEnvironment({ STOA_LAB_TOKEN: this.#token });
    return new StartedStoaContainer(await super.start(), this.#token);
  }
}

class StartedStoaContainer extends AbstractStartedContainer {
  constructor(started, token) {
    super(started);
    this.labToken = token;
    this.labUrl = `http://${started.getHost()}:${started.getMappedPort(PORT)}`;
  }

  /** The variables by which kits and commands find the lab. */
  get env() {
    return { STOA_LAB_URL: this.labUrl, STOA_LAB_TOKEN: this.labToken };
  }
}

module.exports = { StartedStoaContainer, StoaContainer };
