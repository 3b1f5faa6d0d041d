"""The specialist that a config declares. Runs and evaluations call :func:`services_with`; nothing is started here."""

from __future__ import annotations

from verulaw_rl.config.specialist import EndpointSpecialist, HoudiniSpecialist, SpecialistConfig
from verulaw_rl.episodes.services import Services
from verulaw_rl.specialist.assist import Specialist, with_specialist
from verulaw_rl.specialist.houdini import Houdini


def services_with(services: Services, config: SpecialistConfig | None) -> Services:
    """The services, whose episodes ask the declared specialist; unchanged where none is declared.

    Raises:
        UserError: no such model, or an endpoint without an address.
    """
    return services if config is None else with_specialist(services, specialist_of(config))


def specialist_of(config: SpecialistConfig) -> Specialist:
    """The declared specialist.

    Raises:
        UserError: no such model, or an endpoint without an address.
    """
    if isinstance(config, HoudiniSpecialist):
        return Houdini(max_calls=config.max_calls, timeout_s=config.timeout_s)
    from verulaw_rl.specialist.model import EndpointModel, embedded

    return EndpointModel(config) if isinstance(config, EndpointSpecialist) else embedded(config)
