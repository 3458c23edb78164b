"""What starts where: Kubernetes' queue, Volcano's session, and the scheduler made of both."""
