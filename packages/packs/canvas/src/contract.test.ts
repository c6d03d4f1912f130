import { packContract } from "@toolpacks/testkit";
import { canvasExamples, canvasUnderTest } from "./pack.fixture.ts";

packContract(canvasUnderTest, { examples: canvasExamples });
